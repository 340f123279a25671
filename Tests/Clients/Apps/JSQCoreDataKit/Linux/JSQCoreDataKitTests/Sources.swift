// Sources: ../../Original/Tests
// Platform: iOS
