import GeoIndex
import Glibc

func seconds(_ body: () -> Void) -> Double {
    var t0 = timespec(), t1 = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0)
    body()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1)
    return Double(t1.tv_sec - t0.tv_sec) + Double(t1.tv_nsec - t0.tv_nsec) * 1e-9
}

let path = CommandLine.arguments[1]
guard let file = unsafe fopen(path, "rb") else { exit(1) }
unsafe fseek(file, 0, SEEK_END)
let size = unsafe ftell(file)
unsafe rewind(file)
var doubles = [Double](repeating: 0, count: size / 8)
_ = unsafe fread(&doubles, 8, size / 8, file)
let n = doubles.count / 2
print("points", n)
let positions = (0..<n).map { RoundedPosition(try! LonLat(lon: doubles[2*$0], lat: doubles[2*$0+1])) }
var snapshot = BulkBuilder().build()
for _ in 0..<3 {
    var builder = BulkBuilder(expected: n)
    let t0 = seconds { for i in 0..<n { try! builder.add(id: String(i), Placement(position: positions[i])) } }
    let t = seconds { snapshot = builder.build() }
    print("add", t0, "build", t)
}
print(snapshot.count)
var rng = SystemRandomNumberGenerator()
struct LCG: RandomNumberGenerator { var s: UInt64; mutating func next() -> UInt64 { s = s &* 6364136223846793005 &+ 1442695040888963407; return StableHash.finalize(s) } }
var r = LCG(s: 7)
func report(_ name: String, _ xs: [Double]) {
    let s = xs.sorted()
    print(name, "p50", s[s.count/2]*1e6, "p99", s[s.count*99/100]*1e6, "mean", s.reduce(0,+)/Double(s.count)*1e6, "max", s[s.count-1]*1e6)
}
for radius in (CommandLine.arguments.count > 2 ? [40, 40, 40, 40, 40, 40] : [40, 20]) {
    var times: [Double] = []; var results = 0
    for _ in 0..<1000 {
        let zoom = Int.random(in: 3...16, using: &r)
        let p = WorldPoint(positions[Int.random(in: 0..<n, using: &r)])
        let px = UInt64(1) << UInt64(24 - zoom)
        let w = WorldWindow(west: p.x &- UInt32(truncatingIfNeeded: 512 * px), width: 1024 * px, north: UInt32(max(0, Int(p.y) - Int(384 * px))), height: 768 * px)
        let o = try! ClusterOptions(zoom: zoom, radiusPixels: radius)
        times.append(seconds { results += snapshot.clusters(in: w, options: o).count })
    }
    report("clusters r\(radius) results \(results/1000)", times)
}
if CommandLine.arguments.count > 2 && CommandLine.arguments[2] == "x" { exit(0) }
var times: [Double] = []
var c = 0
for _ in 0..<(CommandLine.arguments.count > 2 && CommandLine.arguments[2] == "n" ? 400000 : 2000) { let p = positions[Int.random(in: 0..<n, using: &r)]; times.append(seconds { c += snapshot.nearest(to: p, limit: 10).count }) }
report("nearest10", times)
times = []; c = 0
for _ in 0..<1000 { let p = positions[Int.random(in: 0..<n, using: &r)]; times.append(seconds { c += snapshot.count(in: .circle(centre: p, radius: .meters(500))) }) }
report("radius500 count \(c/1000)", times)
let layer = LayerIndex(snapshot)
try! layer.apply([ObjectEdit(id: "0", placement: Placement(position: positions[1]))])
times = []
for _ in 0..<(CommandLine.arguments.count > 2 ? 60000 : 2000) { let i = Int.random(in: 0..<n, using: &r), j = Int.random(in: 0..<n, using: &r)
  times.append(seconds { try! layer.apply([ObjectEdit(id: String(i), placement: Placement(position: positions[j]))]) }) }
report("move", times)
