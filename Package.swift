// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: the strictest the compiler offers, warnings as errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Properties that lend a Span of what their owner holds.
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A Swift target of the service. `uses` names what it imports.
func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one module.
func tests(of name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        swiftSettings: strict)
}

/// A C library from the system's packages.
func library(_ name: String, pkgConfig: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig)
}

let package = Package(
    name: "GeoService",
    products: [
        .executable(name: "geoservice", targets: ["GeoServiceCLI"]),
        .library(name: "GeoIndex", targets: ["GeoIndex"]),
        .library(name: "TileRender", targets: ["TileRender"]),
    ],
    targets: [
        // The C libraries, one target each: a module map and a shim header.
        library("CSQLite", pkgConfig: "sqlite3"),
        library("CMicroHTTPD", pkgConfig: "libmicrohttpd"),
        library("CCurl", pkgConfig: "libcurl"),
        library("CDeflate", pkgConfig: "libdeflate"),
        library("CXXHash", pkgConfig: "libxxhash"),
        library("CCairo", pkgConfig: "pangocairo"),
        library("CGEOS", pkgConfig: "geos"),
        library("CPROJ", pkgConfig: "proj"),
        library("CExpat", pkgConfig: "expat"),
        library("CPCRE2", pkgConfig: "libpcre2-8"),
        library("CSodium", pkgConfig: "libsodium"),
        library("COpenSSL", pkgConfig: "libcrypto"),
        // Only a header: a hint to the processor that Swift has no word for.
        .systemLibrary(name: "CProcessor"),
        .target(
            name: "CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
        .target(
            name: "COsmium",
            linkerSettings: ["z", "expat", "bz2", "stdc++"].map { .linkedLibrary($0) }),

        // Loads libvips in the process that decodes, and nowhere else.
        .target(name: "CVips", linkerSettings: [.linkedLibrary("dl")]),

        // The service, from the bottom up. An arrow never points upwards.
        module("GeoIndex", uses: ["CGEOS", "CPROJ", "CProcessor"]),
        module("JSONText", uses: ["CSimdjson"]),
        module("SyntheticCity"),
        module("TileRender", uses: ["GeoIndex", "CCairo", "CDeflate"]),
        module("GeoStore", uses: ["GeoIndex", "JSONText", "CSQLite", "CPCRE2", "CXXHash"]),
        module("GeoImport", uses: ["GeoIndex", "JSONText", "CPROJ", "CExpat", "COsmium"]),
        module(
            "GeoService",
            uses: [
                "GeoIndex", "JSONText", "SyntheticCity", "TileRender", "GeoStore", "GeoImport",
                "CMicroHTTPD", "CCurl", "CSodium", "COpenSSL", "CVips", "CProcessor",
            ]),
        .executableTarget(
            name: "GeoServiceCLI",
            dependencies: ["GeoService", "GeoImport", "JSONText", "SyntheticCity"],
            swiftSettings: strict),

        .executableTarget(
            name: "GeoBench",
            dependencies: [
                "GeoIndex", "TileRender", "SyntheticCity", "GeoImport", "GeoService", "TestSupport",
            ],
            path: "bench/GeoBench",
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["CDeflate"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "GeoIndex", uses: ["CPROJ"]),
        tests(of: "JSONText"),
        tests(of: "SyntheticCity", uses: ["GeoIndex"]),
        // The basemap's styles are read from their file, which the service does.
        tests(of: "TileRender", uses: ["GeoIndex", "GeoService"]),
        tests(of: "GeoStore", uses: ["GeoIndex", "JSONText", "CSQLite"]),
        tests(of: "GeoImport", uses: ["GeoIndex", "JSONText"]),
        tests(
            of: "GeoService",
            uses: [
                "GeoIndex", "JSONText", "GeoStore", "GeoImport", "TileRender", "SyntheticCity",
                "CVips",
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
