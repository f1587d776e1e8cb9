// Delivery pages: selects all rows of a list at once.

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

// `live.js` replaces parts of the page, including selected rows.
const observer = new MutationObserver(showSelection)
for (const part of document.querySelectorAll('[data-live]')) observer.observe(part, { childList: true })
showSelection()
