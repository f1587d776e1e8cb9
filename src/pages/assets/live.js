// Keeps a page up to date from a stream of changes. If streaming doesn't work, reloads the content every
// 15 seconds instead. Without scripts, the page shows the time at which it was rendered.

const pollEveryMs = 15_000
/**
 * Maximum silence of a stream. The service sends `still` events more often, so a longer silence means that a proxy is
 * buffering the stream.
 */
const silenceMs = 45_000
/** Number of polls before the stream is retried. */
const readingsBeforeStream = 8

const line = document.querySelector('[data-events]')
const words = line.querySelector('[data-live-words]')
const { liveSaid, lost, looked } = line.dataset

/** The markup last shown in each part, before other scripts changed it. */
const shown = new Map(
  [...document.querySelectorAll('[data-live]')].map((place) => [place.dataset.live, place.innerHTML]),
)

let stream
let silence
let reading
let readings = 0

function fromMarkup(markup) {
  const template = document.createElement('template')
  template.innerHTML = markup
  return template
}

/** Replaces content only if it differs. Otherwise screen readers would announce it, and the page could shift. */
function show(name, markup) {
  const place = document.querySelector(`[data-live="${name}"]`)
  const template = fromMarkup(markup)
  if (place === null || shown.get(name) === template.innerHTML) return
  shown.set(name, template.innerHTML)
  // Keeps the sections open that the user has opened.
  for (const shut of template.content.querySelectorAll('details[data-name]')) {
    shut.open = place.querySelector(`details[data-name="${shut.dataset.name}"]`)?.open ?? false
  }
  // Keeps rows selected, and the focus on the same control.
  for (const { value } of place.querySelectorAll('input:checked')) {
    template.content.querySelector(`input[value="${value}"]`)?.setAttribute('checked', '')
  }
  const focused = place.contains(document.activeElement) ? document.activeElement : undefined
  place.replaceChildren(template.content)
  if (focused === undefined) return
  const like = (element) => element.matches('a, input, summary') && nameOf(element) === nameOf(focused)
  ;[...place.querySelectorAll('*')].find(like)?.focus({ preventScroll: true })
}

function nameOf(element) {
  return element.getAttribute('href') ?? element.value ?? element.tagName
}

function say(text) {
  if (words.textContent !== text) words.textContent = text
}

function startStream() {
  stop()
  stream = new EventSource(line.dataset.events)
  listen()
  stream.addEventListener('open', () => say(liveSaid))
  stream.addEventListener('parts', (event) => {
    listen()
    const { title, ...parts } = JSON.parse(event.data)
    if (title !== undefined) document.title = fromMarkup(title).content.textContent
    for (const [name, markup] of Object.entries(parts)) show(name, markup)
  })
  stream.addEventListener('still', listen)
  stream.addEventListener('gone', () => location.reload())
  stream.addEventListener('error', () => {
    // `CLOSED` means that the service rejected the stream. Otherwise, the browser reconnects on its own.
    if (stream.readyState === EventSource.CLOSED) startReading()
    else say(lost)
  })
}

function listen() {
  clearTimeout(silence)
  silence = setTimeout(startReading, silenceMs)
}

function startReading() {
  stop()
  readings = 0
  say(looked)
  reading = setInterval(readPage, pollEveryMs)
}

async function readPage() {
  readings += 1
  if (readings > readingsBeforeStream) {
    startStream()
    return
  }
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (answer.status === 404) location.reload()
    if (!answer.ok) throw new Error(`answered ${answer.status}`)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    document.title = page.title
    for (const part of page.querySelectorAll('[data-live]')) show(part.dataset.live, part.innerHTML)
    say(looked)
  } catch {
    say(lost)
  }
}

function stop() {
  stream?.close()
  clearTimeout(silence)
  clearInterval(reading)
}

// Browsers limit the number of connections per host, so hidden pages close theirs.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) stop()
  else startStream()
})
addEventListener('pagehide', stop)
addEventListener('pageshow', (event) => {
  if (event.persisted) startStream()
})
if (!document.hidden) startStream()
