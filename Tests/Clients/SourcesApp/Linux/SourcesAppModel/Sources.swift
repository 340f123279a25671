// Sources: ../../Modelled
