# The app's frame and its lists.

app-name = Collie
close = Close
back = Back
try-again = Try again
copied = Copied
copied-not = The clipboard cannot be used
copy-sha = Copy { $sha }
