// Sources: ../../Shared/Shop
