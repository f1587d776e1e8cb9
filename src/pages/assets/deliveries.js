// The list of deliveries: selects all rows of a list at once, and takes the custom range in local time.

function showSelection() {
  const all = document.querySelector('[data-choose-all]')
  if (all === null) return
  const boxes = [...document.querySelectorAll('input[name="event"]')]
  const chosen = boxes.filter(({ checked }) => checked).length
  all.hidden = false
  all.checked = chosen > 0 && chosen === boxes.length
  all.indeterminate = chosen > 0 && !all.checked
  const count = document.querySelector('[data-chosen]')
  count.textContent = chosen === 0 ? '' : count.dataset.chosen.replace('0', chosen)
}

document.addEventListener('change', ({ target }) => {
  if (target.dataset.chooseAll !== undefined) {
    for (const box of document.querySelectorAll('input[name="event"]')) box.checked = target.checked
  }
  showSelection()
})

// Shows the custom range in the browser's time zone. The service expects UTC.
const range = [...document.querySelectorAll('.range input')]
for (const input of range) {
  // Not the current value, which the browser may have restored.
  if (input.defaultValue === '') continue
  const at = new Date(`${input.defaultValue}Z`)
  at.setMinutes(at.getMinutes() - at.getTimezoneOffset())
  input.value = at.toISOString().slice(0, 16)
}
for (const note of document.querySelectorAll('.range [data-utc-only]')) note.hidden = true
range[0]?.form.addEventListener('formdata', ({ formData }) => {
  for (const { name, value } of range) {
    if (value !== '') formData.set(name, new Date(value).toISOString().slice(0, 16))
  }
})

// `live.js` replaces parts of the page, including selected rows.
const observer = new MutationObserver(showSelection)
for (const part of document.querySelectorAll('[data-live]')) observer.observe(part, { childList: true })
showSelection()
