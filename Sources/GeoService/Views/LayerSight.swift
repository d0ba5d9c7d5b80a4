import GeoIndex
import GeoStore

/// What one viewer or several see of a layer, where that is not what everybody does.
protocol LayerSight: AnyObject, Sendable {
    /// Tells it from other views and from layers, as ``Layer/indexNumber`` does those.
    var number: UInt64 { get }
    /// About how much memory it takes; 0 before the first use.
    var bytes: Int { get }

    /// The newest state, with every commit that was answered before, without what has expired.
    ///
    /// - Parameter now: The request's one reading of the clock.
    func current(of layer: Layer, at now: Timestamp) -> IndexSnapshot

    /// The same, when it is there without any work or waiting.
    func currentAtOnce(of layer: Layer, at now: Timestamp) -> IndexSnapshot?
}

/// A layer as one viewer sees it.
struct SeenLayer: Sendable {
    let layer: Layer
    private let view: (any LayerSight)?
    /// Told of each use.
    private let used: @Sendable (any LayerSight) -> Void

    init(
        layer: Layer, view: (any LayerSight)?,
        used: @escaping @Sendable (any LayerSight) -> Void = { _ in }
    ) {
        self.layer = layer
        self.view = view
        self.used = used
    }

    /// Tells what is drawn of it from what is drawn of others; see ``Layer/indexNumber``.
    var indexNumber: UInt64 { view?.number ?? layer.indexNumber }

    /// The newest state without what has expired, when that is there without any work or waiting.
    func currentAtOnce(at now: Timestamp) -> IndexSnapshot? {
        guard let view else { return layer.current(at: now) }
        return view.currentAtOnce(of: layer, at: now)
    }

    /// The newest state without what has expired. Take it once for each request.
    func current(at now: Timestamp) -> IndexSnapshot {
        guard let view else { return layer.current(at: now) }
        let snapshot = view.current(of: layer, at: now)
        used(view)
        return snapshot
    }
}
