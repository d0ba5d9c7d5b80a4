/// Where a child of a node is: a search for what is near goes from the node to a page's memory
/// without a look at the page itself, which is mostly not in the cache, and counts no reference.
///
/// Means something only as long as somebody keeps the child, as the node does that has the place.
///
/// Unchecked: what is at the addresses never changes.
@safe struct ChildPlace: Equatable, @unchecked Sendable {
    /// The ``LeafPage`` or the ``TreeNode``.
    private let object: UnsafeRawPointer
    /// The memory of a page; nil for a node.
    let block: UnsafeRawPointer?
    /// What the boxes of a page's groups are counted from.
    let groupsHead: PageGroups.Head
    let layout: PageLayout

    @inline(__always)
    init(
        _ page: LeafPage, _ block: UnsafeRawPointer, _ layout: PageLayout,
        _ groupsHead: PageGroups.Head
    ) {
        unsafe object = UnsafeRawPointer(Unmanaged.passUnretained(page).toOpaque())
        unsafe self.block = block
        self.layout = layout
        self.groupsHead = groupsHead
    }

    @inline(__always)
    init(_ node: TreeNode) {
        unsafe object = UnsafeRawPointer(Unmanaged.passUnretained(node).toOpaque())
        unsafe block = nil
        layout = .none
        groupsHead = PageGroups.Head()
    }

    /// The page that it is the place of; nil when it is that of a node.
    @inline(__always)
    var page: UncountedPage? {
        guard let block = unsafe block else { return nil }
        return unsafe UncountedPage(
            page: Unmanaged.fromOpaque(object), block: block, layout: layout)
    }

    /// The node that it is the place of; nil when it is that of a page.
    @inline(__always)
    var node: Unmanaged<TreeNode>? {
        unsafe block == nil ? Unmanaged.fromOpaque(object) : nil
    }

    static func == (one: ChildPlace, other: ChildPlace) -> Bool {
        unsafe one.object == other.object && one.block == other.block
            && one.layout == other.layout && one.groupsHead == other.groupsHead
    }
}
