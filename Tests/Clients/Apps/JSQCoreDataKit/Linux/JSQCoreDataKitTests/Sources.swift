// Sources: ../../Original/Tests
