// Sources: ../../Isolated
