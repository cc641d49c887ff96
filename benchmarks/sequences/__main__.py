from benchmarks.sequences.gram_matrices import main

main()
