import JSONText
import Synchronization

/// The router that the operator has named: OSRM or Valhalla, which is found out by asking.
final class RoutingServer: Sendable {
    /// What it is.
    enum Kind: String {
        case osrm, valhalla
    }

    /// What became of a call.
    enum Outcome {
        /// An answer in OSRM's form.
        case answer(JSONObject, Kind)
        /// The router understood the call and refused it.
        case refusal(code: String, message: String)
        /// There is no answer; hints have to do.
        case down
    }

    private struct State {
        var health = RouterHealth()
        var kind: Kind?
    }

    private let connection: RouterConnection
    private let state = Mutex(State())

    init(address: String) {
        connection = RouterConnection(address: address)
    }

    /// Hands a call to the router. Blocks.
    func outcome(of call: DirectionsCall) -> Outcome {
        let now = MonotonicClock.milliseconds
        let (mayAsk, known) = state.withLock { ($0.health.mayAsk(at: now), $0.kind) }
        guard mayAsk else { return .down }
        do {
            let kind = try known ?? findKind()
            let outcome =
                switch kind {
                case .osrm: try OSRMRouter(connection: connection).outcome(of: call)
                case .valhalla: try ValhallaRouter(connection: connection).outcome(of: call)
                }
            let wasDown = state.withLock { state in
                defer { state.health.succeeded() }
                state.kind = kind
                return !state.health.isWell
            }
            if wasDown { Log.info("the router answers again") }
            return outcome
        } catch {
            let wasWell = state.withLock { state in
                defer { state.health.failed(at: MonotonicClock.milliseconds) }
                // Another server may come up at its address.
                state.kind = nil
                return state.health.isWell
            }
            if wasWell { Log.warning("directions are straight-line hints for now: \(error)") }
            return .down
        }
    }

    /// Valhalla tells its version at `/status`; to OSRM that is no address.
    private func findKind() throws(HTTPCallError) -> Kind {
        let answer: RouterConnection.Answer
        do {
            answer = try connection.ask("/status", profile: DirectionsCall.probeProfile)
        } catch {
            // A proxy before an OSRM may answer with a page of its own: the call itself will tell.
            return .osrm
        }
        return answer.status == 200 && answer.json["version"]?.stringValue != nil
            ? .valhalla : .osrm
    }
}
