/// Pages and nodes as a search walks them while its caller keeps the snapshot: no reference is
/// counted, which would be an atomic write to an object that is in nobody's cache.
///
/// A node never changes, and keeps its arrays and its children.
@safe enum UncountedPlace {
    case page(Unmanaged<LeafPage>)
    case node(Unmanaged<TreeNode>)

    /// The first page that holds a key of at least `key`, else the last page. O(log n).
    @inline(__always)
    func page(reaching key: UInt64) -> Unmanaged<LeafPage>? {
        var place = self
        while true {
            switch place {
            case .page(let page): return unsafe page
            case .node(let node):
                let next = unsafe node._withUnsafeGuaranteedRef {
                    $0.uncounted(min($0.firstChild(reaching: key), $0.childCount - 1))
                }
                guard let next else { return nil }
                place = next
            }
        }
    }
}

extension IndexSnapshot {
    /// The top of the tree; nil when it is empty.
    @inline(__always)
    var uncountedRoot: UncountedPlace? {
        switch root {
        case .empty: nil
        case .page(let page): unsafe .page(Unmanaged.passUnretained(page))
        case .node(let node): unsafe .node(Unmanaged.passUnretained(node))
        }
    }
}

extension TreeNode {
    /// A child of a number; nil when there is none.
    @inline(__always)
    func uncounted(_ child: Int) -> UncountedPlace? {
        switch children {
        case .pages(let pages):
            unsafe TreeNode.address(child, of: pages).map {
                unsafe .page(Unmanaged.fromOpaque($0))
            }
        case .nodes(let nodes):
            unsafe TreeNode.address(child, of: nodes).map {
                unsafe .node(Unmanaged.fromOpaque($0))
            }
        }
    }

    /// The address of one of the children.
    @inline(__always)
    private static func address<Child: TreeChild>(
        _ index: Int, of children: Siblings<Child>
    ) -> UnsafeRawPointer? {
        // Checked by both arrays: an index below zero stays below zero when shifted.
        unsafe children.runs.withUnsafeBufferPointer { runs in
            guard runs.indices.contains(index >> 3) else { return nil }
            return unsafe runs[index >> 3].withUnsafeBufferPointer { references in
                guard references.indices.contains(index & 7) else { return nil }
                return unsafe UnsafeRawPointer(references.baseAddress)?.load(
                    fromByteOffset: (index & 7) &* MemoryLayout<Child>.stride,
                    as: UnsafeRawPointer?.self)
            }
        }
    }
}
