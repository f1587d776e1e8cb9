// Updates the code samples when the scopes of the try-out change. Without scripts, the samples have the scopes with
// which the page was opened.

const form = document.querySelector('form[data-try-out]')

function show() {
  const scopes = new FormData(form).getAll('scope').join(' ')
  for (const sample of document.querySelectorAll('[data-chosen="scope"]')) sample.textContent = scopes
}

form.addEventListener('input', show)
// After a reload, the browser may have restored other choices.
show()
