import Foundation

/// Reads raw DEFLATE (RFC 1951), as the model caches of stores hold it.
///
/// Owned by nobody: a value that lives for one call of ``inflate(_:)``. Called when a store's
/// cached model is needed, which is when the store does not fit the model it is opened with.
struct Inflate {
    private let bytes: [UInt8]
    private var next = 0
    private var window: UInt32 = 0
    private var windowBits = 0
    private var output: [UInt8] = []

    /// Why nothing came out.
    struct Failure: Error {}

    /// A model is some kilobytes; more than this is no model.
    private static let outputBytesMax = 64 << 20

    private init(_ data: Data) { bytes = [UInt8](data) }

    /// The bytes that were deflated, or nil where the input is damaged or cut off.
    static func inflate(_ data: Data) -> Data? {
        var reader = Inflate(data)
        do throws(Failure) {
            try reader.run()
        } catch {
            return nil
        }
        return Data(reader.output)
    }

    private mutating func run() throws(Failure) {
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try decode(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let codes = try readCodes()
                try decode(codes.literals, codes.distances)
            default: throw Failure()
            }
        }
    }

    // MARK: Bits

    private mutating func take(_ count: Int) throws(Failure) -> Int {
        while windowBits < count {
            guard next < bytes.count else { throw Failure() }
            window |= UInt32(bytes[next]) << UInt32(windowBits)
            next += 1
            windowBits += 8
        }
        let value = window & ((1 << UInt32(count)) - 1)
        window >>= UInt32(count)
        windowBits -= count
        return Int(value)
    }

    private mutating func append(_ byte: UInt8) throws(Failure) {
        guard output.count < Self.outputBytesMax else { throw Failure() }
        output.append(byte)
    }

    private mutating func copyStored() throws(Failure) {
        window = 0
        windowBits = 0
        guard next + 4 <= bytes.count else { throw Failure() }
        let length = Int(bytes[next]) | Int(bytes[next + 1]) << 8
        let complement = Int(bytes[next + 2]) | Int(bytes[next + 3]) << 8
        next += 4
        guard length ^ complement == 0xFFFF, next + length <= bytes.count,
            output.count + length <= Self.outputBytesMax
        else { throw Failure() }
        output += bytes[next..<next + length]
        next += length
    }

    // MARK: Codes

    /// A canonical prefix code: how many codes there are of each length, and their symbols.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            for length in 1...15 {
                symbols += lengths.indices.filter { lengths[$0] == length }
            }
        }
    }

    private static let fixedLiterals = Code(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))

    private mutating func symbol(_ code: Code) throws(Failure) -> Int {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            value |= try take(1)
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw Failure()
    }

    private static let lengthOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private mutating func readCodes() throws(Failure) -> (literals: Code, distances: Code) {
        let literals = try take(5) + 257
        let distances = try take(5) + 1
        let count = try take(4) + 4
        guard literals <= 286, distances <= 30 else { throw Failure() }
        var lengths = [Int](repeating: 0, count: 19)
        for place in Self.lengthOrder.prefix(count) { lengths[place] = try take(3) }
        let code = Code(lengths)
        var all: [Int] = []
        while all.count < literals + distances {
            let symbol = try symbol(code)
            switch symbol {
            case 0..<16: all.append(symbol)
            case 16:
                guard let last = all.last else { throw Failure() }
                all += [Int](repeating: last, count: try take(2) + 3)
            case 17: all += [Int](repeating: 0, count: try take(3) + 3)
            default: all += [Int](repeating: 0, count: try take(7) + 11)
            }
        }
        guard all.count == literals + distances else { throw Failure() }
        return (Code(Array(all[..<literals])), Code(Array(all[literals...])))
    }

    // MARK: Blocks

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]

    private mutating func decode(_ literals: Code, _ distances: Code) throws(Failure) {
        while true {
            let literal = try symbol(literals)
            if literal < 256 {
                try append(UInt8(literal))
                continue
            }
            if literal == 256 { return }
            let place = literal - 257
            guard place < Self.lengthBases.count else { throw Failure() }
            let length = Self.lengthBases[place] + (try take(Self.lengthBits[place]))
            let far = try symbol(distances)
            guard far < Self.distanceBases.count else { throw Failure() }
            let distance = Self.distanceBases[far] + (try take(max(0, far / 2 - 1)))
            guard distance <= output.count else { throw Failure() }
            for _ in 0..<length { try append(output[output.count - distance]) }
        }
    }
}

extension NSManagedObjectModel {
    /// Reads the model that a store carries in `Z_MODELCACHE`, without its validation rules.
    ///
    /// - Parameters:
    ///   - content: a deflated keyed archive.
    ///   - path: the store, for messages.
    /// - Throws: what keeps the bytes from being a model.
    package static func cachedModel(
        _ content: Data, path: String
    ) throws(ModelError) -> NSManagedObjectModel {
        guard let archive = Inflate.inflate(content) else {
            throw ModelError(
                ModelError.Finding(
                    .notAModel,
                    "the store's cached model cannot be inflated; "
                        + "put the model that the store was made with into the bundle.",
                    at: ModelError.Location(path: path)))
        }
        return try ModelUnarchiver.model(archive, path: path, needsRules: false)
    }
}
