import JSONText

/// What of objects an answer has: which pointers are followed, and which fields are shown.
///
/// The names of `include`, `keys` and `excludeKeys` are gathered in one tree, a node for each place
/// in an object and in what its pointers lead to:
///
/// - `include=post.author` follows the pointer `post`, and `author` in what it leads to; pointers
///   in arrays and in plain objects on the way, too. `include=*`, `includeAll=true` and
///   `include=post.*` follow every pointer and every array of pointers of the object.
/// - `keys=title,post.title` shows `title` and `post` only, follows `post`, and shows `title` only
///   of what it leads to. A key below a plain object shows that member only.
/// - `excludeKeys=post.text` leaves `text` out of what `post` leads to. It wins over `keys`.
///
/// An object's id, times and access list are always shown. Names that no object has mean nothing.
struct AnswerShape: Sendable {
    /// One place.
    struct Node: Sendable {
        /// The places below, by name.
        fileprivate(set) var children: [String: Int] = [:]
        /// Whether a pointer here is followed.
        fileprivate(set) var isFollowed = false
        /// Whether every pointer of the object that is here is followed.
        fileprivate(set) var followsAll = false
        /// Whether only what `keys` names is shown of the object that is here.
        fileprivate(set) var isTrimmed = false
        /// Whether `keys` names this place.
        fileprivate(set) var isNamed = false
        /// Whether `excludeKeys` names this place.
        fileprivate(set) var isLeftOut = false
    }

    /// The parameters that this is read of.
    static let parameters: Set<String> = ["include", "includeAll", "keys", "excludeKeys"]
    /// How many names a path may have, and so how many pointers are followed one after another.
    static let greatestDepth = 16
    /// How many paths one parameter may have.
    static let greatestPaths = 250

    /// The tree: the first node is the object itself; the second is a pointer that is followed
    /// without being named.
    private(set) var nodes = [Node(), Node(isFollowed: true)]
    /// The object itself.
    static let root = 0
    private static let unnamed = 1

    /// The objects as they are.
    static let plain = AnswerShape()

    private init() {}

    /// Reads the parameters; others are left to the caller.
    ///
    /// - Throws: ``ParseError`` 102 that names the parameter at fault: one that is no list of names,
    ///   has too many, or too long a path.
    init(_ parameters: JSONObject) throws(ParseError) {
        for path in try Self.paths(parameters, "include") { include(path) }
        if let value = parameters["includeAll"],
            try ParseParameters.flag(value, of: "includeAll")
        {
            nodes[Self.root].followsAll = true
        }
        for path in try Self.paths(parameters, "keys") { show(path) }
        for path in try Self.paths(parameters, "excludeKeys") {
            nodes[place(of: path[...])].isLeftOut = true
        }
    }

    private static func paths(
        _ parameters: JSONObject, _ name: String
    ) throws(ParseError) -> [[String]] {
        guard let value = parameters[name] else { return [] }
        let texts = try ParseParameters.names(value, of: name)
        guard texts.count <= greatestPaths else {
            throw ParseError(.invalidQuery, "\(name) must have at most \(greatestPaths) names")
        }
        return try texts.map { text throws(ParseError) in
            let path = text.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            guard path.count <= greatestDepth, !path.contains("") else {
                throw ParseError(
                    .invalidQuery,
                    "\(name) must have paths of 1 to \(greatestDepth) names, none of them empty: "
                        + text.prefix(200))
            }
            return path
        }
    }

    private mutating func include(_ path: [String]) {
        let isWhole = path.last == "*"
        var node = Self.root
        for name in isWhole ? path.dropLast() : path[...] {
            node = child(of: node, name)
            nodes[node].isFollowed = true
        }
        if isWhole { nodes[node].followsAll = true }
    }

    private mutating func show(_ path: [String]) {
        var node = Self.root
        for (index, name) in path.enumerated() {
            nodes[node].isTrimmed = true
            node = child(of: node, name)
            nodes[node].isNamed = true
            if index < path.count - 1 { nodes[node].isFollowed = true }
        }
    }

    private mutating func place(of path: ArraySlice<String>) -> Int {
        path.reduce(Self.root) { child(of: $0, $1) }
    }

    private mutating func child(of node: Int, _ name: String) -> Int {
        if let known = nodes[node].children[name] { return known }
        nodes.append(Node())
        nodes[node].children[name] = nodes.count - 1
        return nodes.count - 1
    }

    // MARK: - Asked while an object is written

    /// How a member of the object at a node is shown.
    enum Treatment {
        case hidden
        /// As it is stored.
        case whole
        /// As the node of this number says.
        case shaped(Int)
    }

    /// How the member of a name is shown. O(1).
    ///
    /// - Parameter isPlain: Whether the object at the node is a plain one in a field, whose members
    ///   are followed only where they are named.
    func treatment(of name: String, at node: Int, isPlain: Bool) -> Treatment {
        let object = nodes[node]
        let followed: Treatment =
            object.followsAll && !isPlain ? .shaped(AnswerShape.unnamed) : .whole
        guard let child = object.children[name] else {
            return object.isTrimmed ? .hidden : followed
        }
        let member = nodes[child]
        if member.isLeftOut || object.isTrimmed && !member.isNamed { return .hidden }
        if member.children.isEmpty && !member.isFollowed && !member.followsAll { return followed }
        return .shaped(child)
    }

    /// Whether all is shown as it is stored.
    var isPlain: Bool { nodes.count == 2 && !nodes[Self.root].followsAll }

    /// Whether no pointer is followed, so that no other object is read.
    var followsNothing: Bool {
        !nodes[Self.root].followsAll
            && nodes.indices.allSatisfy { $0 == Self.unnamed || !nodes[$0].isFollowed }
    }
}
