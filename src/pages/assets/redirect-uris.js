// Shows redirect URIs as rows and warns about near-duplicates. The text area is still the submitted field and still
// accepts typed lines. Without scripts, it is the only field.

const area = document.querySelector('textarea[name="redirect_uris"]')
const template = document.querySelector('template[data-redirect-uris]')
const rows = template.content.firstElementChild.cloneNode(true)
const list = rows.querySelector('[data-rows]')
const row = list.firstElementChild
const near = document.querySelector('[data-near-duplicates]')
row.remove()

// Hidden visually and from the tab order, but not from screen readers and other programs.
area.classList.add('hidden-visually')
area.tabIndex = -1
area.after(rows)

function inputs() {
  return [...list.querySelectorAll('input')]
}

function add(value) {
  const added = row.cloneNode(true)
  const input = added.querySelector('input')
  input.value = value
  const described = area.getAttribute('aria-describedby')
  if (described !== null) input.setAttribute('aria-describedby', described)
  if (area.getAttribute('aria-invalid') !== null) input.setAttribute('aria-invalid', 'true')
  input.addEventListener('input', write)
  // Splits pasted lines into rows, for example lines from a configuration file.
  input.addEventListener('paste', (event) => {
    const lines = event.clipboardData.getData('text').split(/\s+/).filter(Boolean)
    if (lines.length < 2) return
    event.preventDefault()
    const others = inputs().map((each) => each.value)
    others.splice(inputs().indexOf(input), input.value === '' ? 1 : 0, ...lines)
    area.value = others.join('\n')
    read()
  })
  added.querySelector('button').addEventListener('click', () => {
    const index = inputs().indexOf(input)
    added.remove()
    if (inputs().length === 0) add('')
    write()
    inputs()[Math.max(0, index - 1)].focus()
  })
  list.append(added)
  return input
}

function read() {
  list.replaceChildren()
  for (const line of area.value.split('\n').filter((each) => each.trim() !== '')) add(line.trim())
  if (inputs().length === 0) add('')
  number()
  compare()
}

function write() {
  area.value = inputs()
    .map((input) => input.value.trim())
    .join('\n')
  number()
  compare()
}

/** Numbers the rows. Hides the remove button if there is only one row. */
function number() {
  for (const [index, each] of [...list.children].entries()) {
    each.querySelector('[data-number]').textContent = index + 1
    each.querySelector('button').hidden = list.children.length === 1
  }
}

const leftOut = {
  'slash-at-end': (uri) => uri.replace(/\/(?=\?|$)/, ''),
  case: (uri) => uri.toLowerCase(),
  www: (uri) => uri.replace(/^([a-z]+:\/\/)www\./i, '$1'),
  port: (uri) => uri.replace(/^([a-z]+:\/\/[^/?#]*?):\d*(?=[/?#]|$)/i, '$1'),
}

function compare() {
  const uris = [...new Set(area.value.split('\n').map((line) => line.trim()))].filter(Boolean)
  const kinds = uris.flatMap((one, index) =>
    uris
      .slice(index + 1)
      .map((other) => Object.keys(leftOut).find((kind) => leftOut[kind](one) === leftOut[kind](other)))
      .filter((kind) => kind !== undefined && !(kind === 'port' && /^http:/i.test(one))),
  )
  near.hidden = kinds.length === 0
  for (const said of near.querySelectorAll('[data-kind]')) said.hidden = !kinds.includes(said.dataset.kind)
}

rows.querySelector('[data-add]').addEventListener('click', () => {
  add('').focus()
  number()
})
area.addEventListener('input', read)
read()
