/// Finds the handler of a method and a path.
///
/// A path may match several templates; at each segment a literal is tried before a parameter, and
/// of two parameters the one with more literal text round it. A path of which another method has
/// a route is 405, not 404.
///
///     var router = Router()
///     router.add(.get, "/tiles/{layer}/{z}/{x}/{y}.png") { request in
///         let zoom = request.pathNumber("z")
///         …
///         return .reply(Response(.ok, json: bytes))
///     }
package struct Router: Sendable {
    /// Answers one request. What it throws becomes an answer by the server's error mapping.
    package typealias Handler = @Sendable (Request) throws -> Action

    private var nodes = [Node()]
    /// The templates, in the order of registration.
    package private(set) var templates: [String] = []

    /// Creates a router without routes.
    package init() {}

    /// Registers a handler. `GET` also answers `HEAD`, whose body is never sent.
    ///
    /// - Precondition: the template is well formed (``RouteTemplate``) and the pair is new.
    package mutating func add(
        _ method: HTTPMethod, _ template: String, _ handler: @escaping Handler
    ) {
        let parsed = RouteTemplate(template)
        var node = 0
        for segment in parsed.segments {
            node = child(of: node, for: segment)
        }
        precondition(
            !nodes[node].methods.contains(method), "\(method.name) \(template) is registered twice")
        nodes[node].methods.insert(method)
        nodes[node].routes.append((method, Route(template: parsed, handler: handler)))
        templates.append(template)
    }

    /// What a path leads to.
    enum Match {
        case route(Route, PathValues)
        /// The path exists for these methods only.
        case otherMethods(MethodSet)
        case none
    }

    /// Finds the route of a decoded path, which begins with `/`.
    ///
    /// - Complexity: O(segments · alternatives): at each segment the literals, then the parameters.
    func match(_ method: HTTPMethod, _ path: Span<UInt8>) -> Match {
        var search = Search(method: method == .head ? .get : method)
        if method == .head {
            // A route of its own for HEAD wins over that of GET.
            var own = Search(method: .head)
            if let route = find(&own, path, node: 0, from: 0) { return .route(route, own.values) }
        }
        if let route = find(&search, path, node: 0, from: 0) { return .route(route, search.values) }
        return search.others.isEmpty ? .none : .otherMethods(search.others)
    }

    // MARK: - The tree

    private struct Node: Sendable {
        var literals: [(text: [UInt8], node: Int)] = []
        var parameters: [(prefix: [UInt8], suffix: [UInt8], node: Int)] = []
        var rest: Int?
        var methods = MethodSet()
        var routes: [(method: HTTPMethod, route: Route)] = []
    }

    private struct Search {
        let method: HTTPMethod
        var values = PathValues()
        var others = MethodSet()
    }

    private mutating func child(of node: Int, for segment: RouteTemplate.Segment) -> Int {
        switch segment {
        case .literal(let text):
            if let found = nodes[node].literals.first(where: { $0.text == text }) {
                return found.node
            }
            nodes[node].literals.append((text, nodes.count))
        case .parameter(let prefix, let suffix):
            if let found = nodes[node].parameters
                .first(where: { $0.prefix == prefix && $0.suffix == suffix })
            {
                return found.node
            }
            nodes[node].parameters.append((prefix, suffix, nodes.count))
            nodes[node].parameters.sort {
                $0.prefix.count + $0.suffix.count > $1.prefix.count + $1.suffix.count
            }
        case .rest:
            if let found = nodes[node].rest { return found }
            nodes[node].rest = nodes.count
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The route below `node` for what follows the slash at `slash`. Its depth is bounded by the
    /// templates' longest: each call goes one node down.
    private func find(
        _ search: inout Search, _ path: Span<UInt8>, node index: Int, from slash: Int
    ) -> Route? {
        if slash == path.count { return end(&search, nodes[index]) }
        let start = slash + 1
        var end = start
        while end < path.count, path[end] != 0x2f { end += 1 }
        for literal in nodes[index].literals
        where Self.has(literal.text, path, at: start, upTo: end, whole: true) {
            if let route = find(&search, path, node: literal.node, from: end) { return route }
        }
        for parameter in nodes[index].parameters {
            let valueStart = start + parameter.prefix.count
            let valueEnd = end - parameter.suffix.count
            guard valueStart < valueEnd,
                Self.has(parameter.prefix, path, at: start, upTo: end, whole: false),
                Self.has(parameter.suffix, path, at: valueEnd, upTo: end, whole: false)
            else { continue }
            search.values.append(valueStart..<valueEnd)
            if let route = find(&search, path, node: parameter.node, from: end) { return route }
            search.values.removeLast()
        }
        if let rest = nodes[index].rest {
            search.values.append(start..<path.count)
            if let route = self.end(&search, nodes[rest]) { return route }
            search.values.removeLast()
        }
        return nil
    }

    private func end(_ search: inout Search, _ node: Node) -> Route? {
        if node.methods.contains(search.method) {
            for entry in node.routes where entry.method == search.method { return entry.route }
        }
        search.others.formUnion(node.methods)
        return nil
    }

    private static func has(
        _ text: [UInt8], _ path: Span<UInt8>, at start: Int, upTo end: Int, whole: Bool
    ) -> Bool {
        guard whole ? text.count == end - start : text.count <= end - start else { return false }
        for index in 0..<text.count where path[start + index] != text[index] { return false }
        return true
    }
}

/// One registered handler.
final class Route: Sendable {
    let template: RouteTemplate
    let handler: Router.Handler

    init(template: RouteTemplate, handler: @escaping Router.Handler) {
        self.template = template
        self.handler = handler
    }
}
