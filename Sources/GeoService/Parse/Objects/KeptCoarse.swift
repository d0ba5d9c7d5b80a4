import GeoStore
import JSONText

extension LayerFields {
    /// An update as it may be stored: whoever is not shown an object's exact place cannot have it
    /// shown by lowering its accuracy, or by giving the object away.
    ///
    /// Such a writer works on the object that he sees. When the update leaves the place where it
    /// was, but would show it finer, or to another owner, the place that he sees takes the place of
    /// the exact one, which nobody has any more. Owners and the master key lose nothing; nor does
    /// anybody by a greater accuracy.
    ///
    /// - Parameters:
    ///   - former: The object before the update.
    ///   - after: The object that the update makes.
    func keptCoarse(_ former: Document, _ after: Document, by caller: Principals) -> Document {
        guard former.fields[LocationAccuracy.fieldName] != nil, let place = former.location,
            after.fields[place.field] == former.fields[place.field]
        else { return after }
        let seen = shown(former, to: caller)
        guard
            seen.fields[place.field] != former.fields[place.field]
                || seen.fields[Document.geometryField] != former.fields[Document.geometryField]
        else { return after }
        var coarse = after
        coarse.fields[place.field] = seen.fields[place.field]
        coarse.fields[Document.geometryField] = seen.fields[Document.geometryField]
        let showsMore = shown(after, to: caller).fields != shown(coarse, to: caller).fields
        return showsMore || owner(of: former) != owner(of: after) ? coarse : after
    }
}
