import CZlib
import Foundation

/// Reads raw DEFLATE (RFC 1951), the format of the model caches of stores.
///
/// It is needed if a store does not fit the model with which it is opened: the model in the store's
/// cache is then read.
enum Inflate {
    /// The maximum size of the output. A model has a few kilobytes.
    private static let outputBytesMax = 64 << 20
    private static let chunkBytes = 1 << 16

    /// The bytes that were deflated. Nil if the input is damaged, cut off or too large.
    static func inflate(_ data: Data) -> Data? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        // A negative window size means a stream without a header.
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = [UInt8](data)
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            return output(of: &stream)
        }
    }

    private static func output(of stream: inout z_stream) -> Data? {
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while output.count <= outputBytesMax {
            let status = chunk.withUnsafeMutableBufferPointer { chunk in
                stream.next_out = chunk.baseAddress
                stream.avail_out = uInt(chunk.count)
                return CZlib.inflate(&stream, Z_NO_FLUSH)
            }
            output.append(contentsOf: chunk.prefix(chunkBytes - Int(stream.avail_out)))
            if status == Z_STREAM_END { return output }
            guard status == Z_OK else { return nil }
        }
        return nil
    }
}

extension NSManagedObjectModel {
    /// Reads the model in a store's `Z_MODELCACHE`, without its validation rules.
    ///
    /// - Parameters:
    ///   - content: a deflated keyed archive.
    ///   - path: the store, for messages.
    /// - Throws: the reason why the bytes are not a model.
    package static func cachedModel(
        _ content: Data, path: String
    ) throws(ModelError) -> NSManagedObjectModel {
        guard let archive = Inflate.inflate(content) else {
            throw ModelError(
                ModelError.Finding(
                    .notAModel,
                    "the store's cached model cannot be inflated; "
                        + "add the model with which the store was created to the bundle.",
                    at: ModelError.Location(path: path)))
        }
        return try ModelUnarchiver.model(archive, path: path, needsRules: false)
    }
}
