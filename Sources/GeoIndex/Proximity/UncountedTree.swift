/// A page as a search reads it while its caller keeps the snapshot: no reference is counted, which
/// would be an atomic write to an object that is in nobody's cache, and nearly all is read from the
/// page's memory without a look at the object.
@safe struct UncountedPage {
    /// For what is asked seldom.
    let page: Unmanaged<LeafPage>
    /// The page's memory.
    let block: UnsafeRawPointer
    let layout: PageLayout

    /// The longitude of an entry, in units of 1e-7°.
    @inline(__always)
    func lonE7(_ index: Int) -> Int32 {
        if layout.hasEastEnd {
            return unsafe page._withUnsafeGuaranteedRef { $0.lonE7(index) }
        }
        return ColumnLongitude.lonE7(ofColumn: value(index, of: layout.xs))
    }

    /// The latitude of an entry, in units of 1e-7°.
    @inline(__always)
    func latE7(_ index: Int) -> Int32 { value(index, of: layout.lats) }

    /// The packed id of an entry.
    @inline(__always)
    func object(_ index: Int) -> UInt64 { value(index, of: layout.objects) }

    @inline(__always)
    private func value<Element: BitwiseCopyable>(_ index: Int, of column: Int) -> Element {
        precondition(0..<layout.count ~= index, "entry \(index) of a page")
        // The layout keeps columns within the memory and aligned.
        return unsafe (block + column).assumingMemoryBound(to: Element.self)[index]
    }
}

extension ChildPlace {
    /// The place of the first page that holds a key of at least `key`, else the last page; the caller keeps the
    /// child. O(log n).
    @inline(__always)
    func page(reaching key: UInt64) -> ChildPlace? {
        var place = self
        while let node = unsafe place.node {
            let next = unsafe node._withUnsafeGuaranteedRef {
                $0.uncounted(min($0.firstChild(reaching: key), $0.childCount - 1))
            }
            guard let next else { return nil }
            place = next
        }
        return place
    }
}

extension IndexSnapshot {
    /// The top of the tree; nil when it is empty.
    @inline(__always)
    var uncountedRoot: ChildPlace? {
        switch root {
        case .empty: nil
        case .page(let page): page.place
        case .node(let node): node.place
        }
    }
}

extension TreeNode {
    /// The place of a child of a number; nil when there is none. The node keeps its children.
    @inline(__always)
    func uncounted(_ child: Int) -> ChildPlace? {
        heads.places.indices.contains(child) ? heads.places[child] : nil
    }
}
