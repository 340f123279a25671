// Sources: ../../Original/Sources
