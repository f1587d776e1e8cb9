// Single keys, for pages of signed-in users. They are off while the user types, and after the user has turned them off.

const typing = 'input:not([type="checkbox"], [type="radio"]), textarea, select'
/** Maximum time between G and the key that follows it. */
const goWithinMs = 1_500
let goUntil = 0

const acts = new Map([
  ['/', filter],
  ['j', () => move(1)],
  ['k', () => move(-1)],
  ['r', replay],
  [
    'g',
    ({ timeStamp }) => {
      goUntil = timeStamp + goWithinMs
    },
  ],
  ['?', showKeys],
])

addEventListener('keydown', (event) => {
  const { key, target, timeStamp, repeat, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return
  // A key that is held down moves on, but does nothing else again, even on the page that it opened.
  if (repeat && !'jk'.includes(key)) return
  if (document.documentElement.dataset.keys === 'off' || target.matches(typing)) return
  if (document.querySelector('dialog[open]') !== null) return
  const goal = timeStamp < goUntil && document.querySelector(`[data-go="${CSS.escape(key)}"]`)
  goUntil = 0
  const act = goal ? () => goal.click() : acts.get(key)
  if (act === undefined) return
  event.preventDefault()
  act(event)
})

function filter() {
  const field = document.querySelector('main input:is([name="search"], [name="q"])')
  if (field === null) return document.querySelector('a.find').click()
  const folded = field.closest('details')
  if (folded !== null) folded.open = true
  field.select()
}

/** Focuses the link of another row, which Enter opens. */
function move(step) {
  const rows = [...document.querySelectorAll('main :is(tbody tr, .hits li)')]
  const links = rows
    .map((row) => row.querySelector('a[href]'))
    .filter((link) => link !== null && link.closest('details:not([open])') === null)
  const at = links.findIndex((link) => link.closest('tr, li').contains(document.activeElement))
  links[at === -1 && step < 0 ? links.length - 1 : at + step]?.focus()
}

/** Replays the shown webhook or, in a list, the selected ones and the one whose row has the focus. */
function replay() {
  const box = document.activeElement.closest('tr')?.querySelector('input[name="event"]')
  if (box && !box.checked) box.click()
  document
    .querySelector(
      'main :is(button[name="action"][value="replay"], form[action*="/deliveries/"][action$="/replay"] button)',
    )
    ?.click()
}

/** A dialog that was just closed stays in the document for a moment, and doesn't count. */
function keysAreShown() {
  return document.querySelector('main #keys, dialog[open]') !== null
}

async function showKeys() {
  if (keysAreShown()) return
  try {
    const page = new DOMParser().parseFromString(await (await fetch('/keys')).text(), 'text/html')
    if (keysAreShown()) return
    const dialog = document.createElement('dialog')
    dialog.className = 'finder'
    const keys = document.importNode(page.getElementById('keys'), true)
    const heading = document.createElement('h2')
    heading.textContent = page.querySelector('h1').textContent
    dialog.setAttribute('aria-label', heading.textContent)
    keys.prepend(heading)
    dialog.append(keys)
    dialog.querySelector('form').hidden = false
    dialog.addEventListener('close', () => dialog.remove())
    document.body.append(dialog)
    dialog.showModal()
  } catch {
    location.href = '/keys'
  }
}
