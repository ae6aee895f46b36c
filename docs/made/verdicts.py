"""What `palacs compare` says on three data sets, word for word."""

from palacs.datasets import load
from palacs.experiments import comparison_experiment, run_comparison

for name, budget in (("spirals", 120), ("modes", 60), ("wine", 60)):
    experiment = comparison_experiment(load(name, random_state=0), budget=budget, trials=50)
    found = run_comparison(experiment)
    print(f"### `palacs compare {name} --budget {budget}`\n")
    print("\n".join(f"> {sentence}\n>" for sentence in found.sentences) + "\n")
