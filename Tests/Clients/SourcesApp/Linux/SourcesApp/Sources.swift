// Sources: ../../Sources
