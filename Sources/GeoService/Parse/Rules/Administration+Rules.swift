import GeoStore
import JSONText

extension Administration {
    /// Sets the rules of a class and brings all its objects under them; nil removes the rules. When
    /// an object does not keep the new rules, the former ones hold again.
    ///
    /// - Throws: ``RuleError``, ``SchemaError``, ``StoreError``.
    func setRules(of className: String, to rules: JSONObject?) throws {
        let former = store.catalog[className]?.rules
        do {
            try store.write(waitsForRoom: true) { try $0.setRules(of: className, to: rules) }
            try finishRules(of: className)
        } catch let error as RuleError {
            try restore(former, of: className)
            throw error
        }
    }

    /// Takes up what the last process was in the middle of.
    func resumeRules() {
        for schema in store.catalog.classes.values where schema.isComingUnderRules {
            _ = pool.submit {
                do {
                    try finishRules(of: schema.name)
                } catch {
                    Log.warning("objects of \(schema.name) are not all under its rules: \(error)")
                }
            }
        }
    }

    private func finishRules(of className: String) throws {
        while try !store.write(waitsForRoom: true, { try $0.advanceRules(of: className) }) {}
    }

    private func restore(_ former: JSONObject?, of className: String) throws {
        guard store.catalog[className]?.rules != former else { return }
        try store.write(waitsForRoom: true) { try $0.setRules(of: className, to: former) }
        do {
            try finishRules(of: className)
        } catch let error as RuleError {
            // Broken while the new rules were tried.
            Log.warning("the former rules of \(className) could not be restored: \(error)")
        }
    }
}
