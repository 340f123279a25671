// Sources: ../../Shared
