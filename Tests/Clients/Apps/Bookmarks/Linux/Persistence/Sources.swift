// Sources: ../../Original/Sources/Persistence
