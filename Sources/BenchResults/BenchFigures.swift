/// A figure that only some operations have, such as a latency or the count of conflicts.
package struct BenchFigure: Codable, Sendable, Hashable {
    package var name: String
    /// The engine's value: the median of all processes.
    package var value: Double
    /// The C baseline's value; nil if it has no such figure.
    package var twin: Double?
    package var unit: BenchUnit

    package init(_ name: String, _ value: Double, twin: Double? = nil, unit: BenchUnit) {
        self.name = name
        self.value = value
        self.twin = twin
        self.unit = unit
    }
}

/// The format of a figure.
package enum BenchUnit: String, Codable, Sendable {
    case count
    case nanoseconds
    case ratio
    case bytes
}

/// The result of another program that did the same work in the same rounds.
package struct PeerResult: Codable, Sendable, Hashable {
    /// The program and its version.
    package var name: String
    package var sentence: String
    package var time: Timing
    /// The program's time divided by the C baseline's time, from paired samples of one run.
    package var ratio: Ratio?
    package var peakMemoryBytes: Int

    package init(
        name: String, sentence: String, time: Timing, ratio: Ratio?, peakMemoryBytes: Int
    ) {
        self.name = name
        self.sentence = sentence
        self.time = time
        self.ratio = ratio
        self.peakMemoryBytes = peakMemoryBytes
    }
}

/// Times at several values of one parameter. The exponent shows how they grow.
package struct Scaling: Codable, Sendable, Hashable {
    package struct Point: Codable, Sendable, Hashable {
        package var size: Int
        package var nanoseconds: UInt64
        package var twinNanoseconds: UInt64

        package init(size: Int, nanoseconds: UInt64, twinNanoseconds: UInt64) {
            self.size = size
            self.nanoseconds = nanoseconds
            self.twinNanoseconds = twinNanoseconds
        }
    }

    /// The unit of the size, such as `books`.
    package var unit: String
    package var points: [Point]
    /// The slope of the logarithm of the time over that of the size. It is 1 for linear and 2 for
    /// quadratic growth.
    package var exponent: Double
    package var twinExponent: Double

    package init(unit: String, points: [Point], exponent: Double, twinExponent: Double) {
        self.unit = unit
        self.points = points
        self.exponent = exponent
        self.twinExponent = twinExponent
    }
}
