import CRuntimeShims
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// Finds the class that a model names, in any module.
package enum NamedClasses {
    /// Whether models belong to this program. False in a tool that reads models of other programs:
    /// names without a module are then not looked up, and missing classes are not logged.
    package static let areThisPrograms = Atomic<Bool>(true)

    /// Finds a class by its name. This is a name with a module, a name in the program's module or
    /// in another module, or an Objective-C name.
    ///
    /// - Parameters:
    ///   - kind: the base class's type, as in `NSManagedObject.Type.self`.
    ///   - modules: modules to search for a name without a module, in addition to the program's
    ///     module; nil for every module.
    static func find<T>(_ name: String, as kind: T.Type, in modules: [String]? = nil) -> T? {
        let found = preferred(all(name, as: kind, in: modules), name)
        guard found.count > 1 else { return found.first }
        EngineLog.errorOnce(
            "Several classes are called '\(name)': "
                + found.map { String(reflecting: $0) }.joined(separator: ", ")
                + ". None is used; name the module in the model.")
        return nil
    }

    /// The class of the objects of an entity; nil if the class does not exist. Each missing class
    /// is logged once.
    static func find(for entity: NSEntityDescription) -> NSManagedObject.Type? {
        let name: String = entity.managedObjectClassName
        let modules = entity.managedObjectModel.classModules
        let kind = NSManagedObject.Type.self
        if let found = find(name, as: kind, in: modules) { return found }
        guard areThisPrograms.load(ordering: .relaxed), all(name, as: kind, in: modules).isEmpty
        else { return nil }
        // The program's module and its file may have different names. A model and its classes may
        // also belong to different modules.
        if modules != nil, let found = find(name, as: kind) { return found }
        // If several classes have the name, `find` has already logged this.
        guard all(name, as: kind, in: nil).isEmpty else { return nil }
        EngineLog.errorOnce(
            "Unable to load class named '\(name)' for entity '\(entity.name ?? "")': no managed"
                + " class has this name in any module of the program. Its objects are plain"
                + " NSManagedObject.")
        return nil
    }

    /// The classes that are preferred if several have the name: those with this full name,
    /// otherwise those of the program's module, or in a test product those of the tests' modules.
    private static func preferred<T>(_ found: [T], _ name: String) -> [T] {
        guard found.count > 1 else { return found }
        let exact = found.filter { String(reflecting: $0) == name }
        if !exact.isEmpty { return exact }
        let main = ModelBinding.mainModuleName
        let own = found.filter {
            let module = String(reflecting: $0).prefix { $0 != "." }
            return main.contains(".") ? module.hasSuffix("Tests") : module == main
        }
        return own.isEmpty ? found : own
    }

    private static func all<T>(_ name: String, as kind: T.Type, in modules: [String]?) -> [T] {
        let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
        guard name.contains(".") || areThisPrograms.load(ordering: .relaxed) else { return [] }
        let main = ModelBinding.mainModuleName
        // The name of a test bundle contains a dot and is not a module name.
        let candidates =
            name.contains(".") || main.contains(".") ? [name] : [name, "\(main).\(name)"]
        for candidate in candidates {
            // The optional must be unwrapped before the cast: in optimised code, casting nil to a
            // class type dereferences it.
            if let type = classNamed(candidate), let found = type as? T { return [found] }
        }
        let parts = name.split(separator: ".").map(String.init)
        guard let simple = parts.last else { return [] }
        let module = parts.count > 1 ? parts[0] : nil
        var places: [String?] = [nil]
        if let known = module.map({ [$0] }) ?? modules { places = known }
        // A name in `@objc(Name)` is global on Apple's systems, and a Swift name needs its module.
        let global = (module == nil ? [nil] : places)
            .flatMap { classes("ManagedClassNamed_\(simple)", $0) }
            .compactMap { ($0 as? ManagedClassAlias.Type)?.managedClass as? T }
        if !global.isEmpty { return global }
        return places.flatMap { classes(simple, $0) }.compactMap { $0 as? T }
    }

    /// The classes that were found, by their full names. Classes are never unloaded. Missing
    /// classes are not recorded, because a library that is loaded later may contain them.
    private static let known = Mutex<[String: AnyClass]>([:])

    private static func classNamed(_ name: String) -> AnyClass? {
        if let found = known.withLock({ $0[name] }) { return found }
        // Foundation finds no nested classes, and logs each attempt.
        guard name.count(where: { $0 == "." }) < 2 else { return nil }
        guard let found: AnyClass = NSClassFromString(name) else { return nil }
        known.withLock { $0[name] = found }
        return found
    }

    /// The classes with a name, including nested classes, in one module. In all modules, if the
    /// module is nil.
    private static func classes(_ name: String, _ module: String?) -> [AnyClass] {
        var found: [(module: String, type: AnyClass)] = []
        withUnsafeMutablePointer(to: &found) { list in
            faultline_classes_named(name, list) { list, module, metadata in
                guard let list, let module, let metadata else { return }
                let classes = list.assumingMemoryBound(
                    to: [(module: String, type: AnyClass)].self)
                let type = unsafeBitCast(metadata, to: Any.Type.self)
                guard let type = type as? AnyClass else { return }
                classes.pointee.append((String(cString: module), type))
            }
        }
        return found.filter { module == nil || $0.module == module }.map(\.type)
    }
}
