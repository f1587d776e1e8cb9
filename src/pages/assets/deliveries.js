// Delivery pages: shows times in the browser's time zone, and selects all rows of a list at once.

const twoDigits = (number) => String(number).padStart(2, '0')

function inLocalTime(text) {
  const at = new Date(text)
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-')
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`
}

function showLocalTimes() {
  for (const time of document.querySelectorAll('time[data-local=""]')) {
    time.dataset.local = 'shown'
    const text = inLocalTime(time.dateTime)
    time.textContent = time.dataset.hour === undefined ? text : text.slice(11, 16)
  }
}

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

function refresh() {
  showLocalTimes()
  showSelection()
}

// `live.js` replaces parts of the page.
const observer = new MutationObserver(refresh)
for (const part of document.querySelectorAll('[data-live]')) observer.observe(part, { childList: true })
refresh()
