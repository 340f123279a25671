import Foundation

#if canImport(CoreData)
    import CoreData
#endif
#if canImport(ObjectiveC)
    import ObjectiveC
    import ObjectiveC.runtime
#endif

#if !NEVER
    @objc(Chosen)
    class Chosen: NSManagedObject {
        #if os(Linux) || os(macOS) || os(iOS)
            @NSManaged var kept: String?
            #if NEVER
                @NSManaged var never: String?
            #elseif DEBUG && !DEBUG
                @NSManaged var either: Missing?
            #else
                @NSManaged var other: String?
            #endif
        #else
            @NSManaged var kept: Missing?
        #endif

        #if canImport(ObjectiveC)
            @objc
        #endif
        func attributed() -> String { #keyPath(Chosen.kept) }

        #if swift(>=5)
            @NSManaged
        #endif
        var conditional: String?

        #if NEVER
            @objc override func missing() {}
        #endif
    }
#else
    @objc(Chosen)
    class Chosen: Missing {
        @NSManaged var kept: String?
        @objc override func willSave() { missing() }
    }
#endif

#if DEBUG || RELEASE || true
    extension Chosen {
        #if true
            override func willSave() {
                super.willSave()
                Chosen.log.append("willSave")
            }
        #else
            override func willSave() { missing() }
        #endif
    }
#endif

#if NEVER
    @objc(Never) class Never: Missing { @NSManaged var gone: Int }
    extension Chosen {
        override func didSave() { missing(#selector(missing)) }
        @objc static func log() -> Missing { #keyPath(a.b) }
    }
#elseif canImport(NoSuchModule)
    extension Chosen { override func didSave() { missing() } }
#else
    extension Chosen {
        static var log: [String] = []
        override func didSave() { Chosen.log.append("didSave") }
    }
#endif

func platform() -> String {
    #if os(Linux)
        return "os(iOS) in a string, on Linux"
    #elseif os(macOS)
        return "macOS"
    #else
        return "#if os(iOS)"
    #endif
}

func observeUnderCondition() -> String {
    #if os(macOS) || os(Linux)
        let selector = #selector(Chosen.attributed)
    #else
        let selector = #selector(Missing.attributed)
    #endif
    return selector.description
}

func checkConditions() {
    let names = ["kept", "other", "conditional"]
    let context = stack([entity("Chosen", names.map { attribute($0, .stringAttributeType) })])
    let object = Chosen(context: context)
    expect("a class under #if has its name", type(of: object) == Chosen.self, true)
    object.kept = "a"
    object.other = "b"
    object.conditional = "c"
    expect("a property under #if", object.value(forKey: "kept") as? String, "a")
    expect("one under #else of a nested #if", object.value(forKey: "other") as? String, "b")
    expect("an attribute under #if", object.value(forKey: "conditional") as? String, "c")
    expect("@objc under #if", object.attributed(), "kept")
    try? context.save()
    expect("overrides under #if in extensions", Chosen.log, ["willSave", "didSave"])
    expect("a selector under #if", observeUnderCondition(), "attributed")
    expect("branches of platforms", platform().hasSuffix("on Linux"), true)
    expect("a class under #if is found", NSClassFromString("SourcesApp.Chosen") != nil, true)
}
