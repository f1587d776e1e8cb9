// Shows the search page's field and results in a dialog above any page. The module is loaded when the dialog is first
// opened.

const waitMs = 120

let dialog
let field
let list
let count
/** The request in flight, or the one that will follow the last input. `undefined` if the results are up to date. */
let loading
let timer
let choosesFirst = false

/** @param link the header's link to the search page. */
export function open(link) {
  if (dialog === undefined) build(link)
  if (dialog.open) return
  dialog.showModal()
  field.select()
  load()
}

function build(link) {
  dialog = document.createElement('dialog')
  dialog.className = 'finder'
  const name = link.querySelector('.words').textContent
  dialog.setAttribute('aria-label', name)
  field = document.createElement('input')
  field.type = 'text'
  for (const [attribute, value] of Object.entries({
    role: 'combobox',
    'aria-label': name,
    'aria-expanded': 'true',
    'aria-controls': 'finder-hits',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    placeholder: name,
  })) {
    field.setAttribute(attribute, value)
  }
  list = document.createElement('div')
  list.className = 'results'
  count = document.createElement('p')
  count.className = 'hidden-visually'
  count.setAttribute('role', 'status')
  dialog.append(field, list, count)
  document.body.append(dialog)

  field.addEventListener('input', () => {
    loading?.abort()
    loading = new AbortController()
    clearTimeout(timer)
    timer = setTimeout(load, waitMs)
  })
  field.addEventListener('keydown', onKey)
  // The dialog's content covers it, so a click on the dialog element itself is a click on the backdrop.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => {
    clearTimeout(timer)
    loading?.abort()
    loading = undefined
    choosesFirst = false
  })
}

function onKey(event) {
  const options = [...list.querySelectorAll('[role="option"]')]
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    const step = event.key === 'ArrowDown' ? 1 : -1
    select(options, (at + step + options.length) % options.length)
  } else if (event.key === 'Enter') {
    event.preventDefault()
    if (loading === undefined) options[at]?.click()
    else choosesFirst = true
  }
}

function select(options, at) {
  for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === at))
  const selected = options[at]
  if (selected === undefined) return field.removeAttribute('aria-activedescendant')
  field.setAttribute('aria-activedescendant', selected.id)
  selected.scrollIntoView({ block: 'nearest' })
}

/** Loads the search page for the text in the field, and shows its results. */
async function load() {
  loading?.abort()
  const own = new AbortController()
  loading = own
  const address = `/search?q=${encodeURIComponent(field.value.trim())}`
  try {
    const response = await fetch(address, { signal: own.signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (loading !== own) return
    const hits = page.getElementById('hits')
    // The session has ended, or the service failed. The search page shows which.
    if (hits === null) location.href = address
    else show(hits, page.getElementById('hits-count'), page.getElementById('hits-title'))
    loading = undefined
  } catch {
    if (!own.signal.aborted) location.href = address
  }
}

function show(hits, found, title) {
  hits.id = 'finder-hits'
  hits.setAttribute('role', 'listbox')
  hits.setAttribute('aria-label', title.textContent)
  const options = [...hits.querySelectorAll('a')]
  for (const [index, option] of options.entries()) {
    option.parentElement.setAttribute('role', 'none')
    option.setAttribute('role', 'option')
    option.id = `finder-hit-${index}`
    option.tabIndex = -1
  }
  if (options.length === 0) hits.removeAttribute('role')
  list.replaceChildren(document.importNode(hits, true))
  count.textContent = found?.textContent ?? list.querySelector('h2')?.textContent ?? ''
  const shown = [...list.querySelectorAll('a')]
  field.setAttribute('aria-expanded', String(shown.length > 0))
  select(shown, 0)
  if (choosesFirst) shown[0]?.click()
  choosesFirst = false
}
