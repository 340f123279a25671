// Sources: ../../Strict
