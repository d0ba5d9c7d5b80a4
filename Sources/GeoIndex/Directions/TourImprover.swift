/// A short tour by local search: 2-opt and Or-opt moves among near neighbours, then again from
/// tours that were shaken, of which the best is kept.
///
/// Sources: G. A. Croes, "A method for solving traveling-salesman problems", Operations Research
/// 6, 1958 (2-opt); I. Or, thesis, Northwestern University, 1976 (Or-opt); J. L. Bentley, "Fast
/// algorithms for geometric traveling salesman problems", ORSA J. Computing 4, 1992 (neighbour
/// lists, a queue of stops to look at); O. Martin, S. Otto, E. Felten, "Large-step Markov chains
/// for the traveling salesman problem", Complex Systems 5, 1991 (the double bridge).
struct TourImprover {
    /// How many near neighbours of a stop a move may join it with.
    private static let neighbourCount = 10
    /// How often a tour is shaken, for each stop of it.
    private static let shakesPerStop = 10
    /// The least gain that counts, in metres: rounding, of a joint's costs too, is far below, so
    /// that the search never goes round in circles.
    private static let leastGain = 1e-3

    private let distances: StopDistances
    private let count: Int
    /// The nearest other stops of each, in rows of `width`.
    private let neighbours: [Int]
    private let width: Int
    private var tour: [Int]
    /// Where each stop stands in the tour.
    private var places: [Int]
    /// Stops at which a move may have become possible.
    private var waiting: [Int] = []
    private var isWaiting: [Bool]

    /// A short tour.
    ///
    /// - Precondition: at least eight stops.
    static func tour(_ distances: StopDistances) -> [Int] {
        precondition(distances.count >= 8, "\(distances.count) stops are too few for shaking")
        var improver = TourImprover(distances)
        improver.improve()
        improver.shake()
        return improver.tour
    }

    private init(_ distances: StopDistances) {
        self.distances = distances
        let count = distances.count
        self.count = count
        let width = min(TourImprover.neighbourCount, count - 1)
        self.width = width
        neighbours = (0..<count).flatMap { stop in
            (0..<count).filter { $0 != stop }
                .sorted { (distances[stop, $0], $0) < (distances[stop, $1], $1) }.prefix(width)
        }
        tour = TourImprover.nearestNeighbourTour(distances)
        places = [Int](repeating: 0, count: count)
        for (place, stop) in tour.enumerated() { places[stop] = place }
        isWaiting = [Bool](repeating: true, count: count)
        waiting = tour
    }

    /// From stop 0 always on to the nearest that is left.
    private static func nearestNeighbourTour(_ distances: StopDistances) -> [Int] {
        var left = Array(1..<distances.count)
        var tour = [0]
        var last = 0
        while !left.isEmpty {
            var nearest = 0
            for index in left.indices
            where distances[last, left[index]] < distances[last, left[nearest]] {
                nearest = index
            }
            last = left.remove(at: nearest)
            tour.append(last)
        }
        return tour
    }

    // MARK: - The search

    private mutating func improve() {
        while let stop = waiting.popLast() {
            isWaiting[stop] = false
            while reverse(at: stop) || move(from: stop) {}
        }
    }

    private mutating func wake(_ stops: [Int]) {
        for stop in stops where !isWaiting[stop] {
            isWaiting[stop] = true
            waiting.append(stop)
        }
    }

    private func next(_ stop: Int) -> Int {
        let place = places[stop] + 1
        return tour[place == count ? 0 : place]
    }

    private func previous(_ stop: Int) -> Int {
        let place = places[stop]
        return tour[place == 0 ? count - 1 : place - 1]
    }

    /// 2-opt: replaces the edge to a stop's neighbour in the tour by one to a nearer stop.
    private mutating func reverse(at stop: Int) -> Bool {
        for isForward in [true, false] {
            let end = isForward ? next(stop) : previous(stop)
            let old = distances[stop, end]
            for index in 0..<width {
                let near = neighbours[stop * width + index]
                let saved = old - distances[stop, near]
                if saved <= TourImprover.leastGain { break }
                let nearEnd = isForward ? next(near) : previous(near)
                let gain = saved + distances[near, nearEnd] - distances[end, nearEnd]
                guard gain > TourImprover.leastGain, near != end, nearEnd != stop else { continue }
                if isForward {
                    reverseTour(from: end, to: near)
                } else {
                    reverseTour(from: near, to: end)
                }
                wake([stop, end, near, nearEnd])
                return true
            }
        }
        return false
    }

    /// Or-opt: moves one to three stops, of which the given one is an end, next to a near stop.
    private mutating func move(from stop: Int) -> Bool {
        for isForward in [true, false] {
            var last = stop
            for length in 1...3 {
                if length > 1 { last = isForward ? next(last) : previous(last) }
                let before = isForward ? previous(stop) : next(stop)
                let after = isForward ? next(last) : previous(last)
                let freed =
                    distances[before, stop] + distances[last, after] - distances[before, after]
                if let target = place(stop, last, length, isForward, freed: freed) {
                    carry(stop, last, between: target.near, target.other)
                    wake([before, after, stop, last, target.near, target.other])
                    return true
                }
            }
        }
        return false
    }

    /// Where a piece of the tour is better off: `stop` beside `near`, its other end beside `other`.
    private func place(
        _ stop: Int, _ last: Int, _ length: Int, _ isForward: Bool, freed: Double
    ) -> (near: Int, other: Int)? {
        for index in 0..<width {
            let near = neighbours[stop * width + index]
            let left = freed - distances[stop, near]
            if left <= TourImprover.leastGain { return nil }
            // How far behind `stop` the near one stands, in the direction of the piece.
            let steps = isForward ? places[near] - places[stop] : places[stop] - places[near]
            if (steps + count) % count < length { continue }
            for other in [next(near), previous(near)] {
                let behind = isForward ? places[other] - places[stop] : places[stop] - places[other]
                if (behind + count) % count < length { continue }
                let gain = left - distances[last, other] + distances[near, other]
                if gain > TourImprover.leastGain { return (near, other) }
            }
        }
        return nil
    }

    /// Takes a piece out of the tour and puts it between two neighbours.
    private mutating func carry(_ stop: Int, _ last: Int, between near: Int, _ other: Int) {
        var piece = [stop]
        let isForward = stop == last || distance(from: stop, to: last) <= 2
        while let end = piece.last, end != last {
            piece.append(isForward ? next(end) : previous(end))
        }
        // The tour goes from the one to the other, or the other way.
        let isNearFirst = next(near) == other
        let first = isNearFirst ? near : other
        if !isNearFirst { piece.reverse() }
        var rebuilt: [Int] = []
        rebuilt.reserveCapacity(count)
        for standing in tour where !piece.contains(standing) {
            rebuilt.append(standing)
            if standing == first { rebuilt += piece }
        }
        setTour(rebuilt)
    }

    private func distance(from stop: Int, to last: Int) -> Int {
        (places[last] - places[stop] + count) % count
    }

    private mutating func setTour(_ order: [Int]) {
        tour = order
        for (place, stop) in order.enumerated() { places[stop] = place }
    }

    /// Reverses the part of the tour from one stop forward to another, or the rest of it.
    private mutating func reverseTour(from first: Int, to last: Int) {
        let length = distance(from: first, to: last) + 1
        var low = places[first]
        var high = places[last]
        if length * 2 > count {
            // The same tour comes of turning round what is left.
            (low, high) = ((high + 1) % count, (low + count - 1) % count)
        }
        let swaps = min(length, count - length) / 2
        for _ in 0..<swaps {
            tour.swapAt(low, high)
            places[tour[low]] = low
            places[tour[high]] = high
            low = low + 1 == count ? 0 : low + 1
            high = high == 0 ? count - 1 : high - 1
        }
    }

    // MARK: - Shaking

    /// Exchanges two pieces that follow one another, and improves that; what is not shorter is
    /// undone.
    private mutating func shake() {
        var generator = SplitMix(state: UInt64(count))
        var length = distances.length(of: tour, isClosed: true)
        for _ in 0..<count * TourImprover.shakesPerStop {
            let kept = tour
            let longest = min(50, count - 1)
            let start = generator.below(count)
            // Three pieces' ends within a part of the tour: 0 < a < b < c ≤ longest.
            let cuts = [1, 2, 3].map { _ in 1 + generator.below(longest) }.sorted()
            let (a, b, c) = (cuts[0], cuts[1], cuts[2])
            guard a < b, b < c else { continue }
            let turned = Array(tour[start...] + tour[..<start])
            setTour(Array(turned[..<a] + turned[b..<c] + turned[a..<b] + turned[c...]))
            let ends = [0, a - 1, a, b - 1, b, c - 1, c % count]
            wake(ends.map { turned[$0] })
            improve()
            let shaken = distances.length(of: tour, isClosed: true)
            if shaken < length - TourImprover.leastGain {
                length = shaken
            } else {
                setTour(kept)
            }
        }
    }
}

/// The generator SplitMix64, for choices that are the same every time.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
private struct SplitMix {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        // The bias of a few in 2⁶⁴ does not matter here.
        return Int(StableHash.finalize(state) % UInt64(limit))
    }
}
