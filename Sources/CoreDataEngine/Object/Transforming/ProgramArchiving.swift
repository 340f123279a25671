import Foundation

/// Archives an object of a program class.
///
/// Foundation's archiver ends the process at decimal numbers, and at objects that cannot be
/// archived. So the values that the object encodes are checked first.
final class ProgramObjectArchiving: NSObject, NSCoding {
    private let object: any NSObject & NSCoding
    private unowned let forms: ArchivedForms

    init(_ object: any NSObject & NSCoding, _ forms: ArchivedForms) {
        self.object = object
        self.forms = forms
    }

    /// Not supported: the program class decodes its objects itself.
    init?(coder: NSCoder) { nil }

    override var classForCoder: AnyClass { object.classForCoder }

    func encode(with coder: NSCoder) {
        forms.inside { object.encode(with: CheckingCoder(coder, forms)) }
    }
}

/// The coder that a program class receives. It forwards all values to an archiver, and replaces
/// objects that the archiver cannot encode.
private final class CheckingCoder: NSCoder {
    private let coder: NSCoder
    private let forms: ArchivedForms

    init(_ coder: NSCoder, _ forms: ArchivedForms) {
        self.coder = coder
        self.forms = forms
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { coder.requiresSecureCoding }
    override var systemVersion: UInt32 { coder.systemVersion }

    override func encode(_ object: Any?) { coder.encode(forms.form(of: object)) }
    override func encodeRootObject(_ object: Any) { encode(object) }
    override func encodeConditionalObject(_ object: Any?) {
        coder.encodeConditionalObject(forms.form(of: object))
    }
    override func encode(_ object: Any?, forKey key: String) {
        coder.encode(forms.form(of: object), forKey: key)
    }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) {
        coder.encodeConditionalObject(forms.form(of: object), forKey: key)
    }

    override func encode(_ data: Data) { coder.encode(data) }
    override func encodePropertyList(_ list: Any) { encode(list) }
    override func encodeValue(
        ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer
    ) { coder.encodeValue(ofObjCType: type, at: address) }
    override func encodeArray(
        ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeRawPointer
    ) { coder.encodeArray(ofObjCType: type, count: count, at: array) }
    override func encodeBytes(_ bytes: UnsafeRawPointer?, length: Int) {
        coder.encodeBytes(bytes, length: length)
    }

    override func encode(_ value: Bool, forKey key: String) { coder.encode(value, forKey: key) }
    override func encode(_ value: Int32, forKey key: String) { coder.encode(value, forKey: key) }
    override func encode(_ value: Int64, forKey key: String) { coder.encode(value, forKey: key) }
    override func encode(_ value: Int, forKey key: String) { coder.encode(value, forKey: key) }
    override func encode(_ value: Float, forKey key: String) { coder.encode(value, forKey: key) }
    override func encode(_ value: Double, forKey key: String) { coder.encode(value, forKey: key) }
    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
        coder.encodeBytes(bytes, length: length, forKey: key)
    }
}
