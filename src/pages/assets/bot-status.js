// Keeps a bot's status page up to date: by a stream of what changes, and where that does not work by reading the
// page again every 15 seconds. Without scripts the page says when it was made.

const pollEveryMs = 15_000
/** A stream says at least so often that it is there; one that does not is held back on its way. */
const silenceMs = 45_000
/** After so many readings the stream is tried again. */
const readingsBeforeStream = 8

const line = document.querySelector('[data-events]')
const words = line.querySelector('[data-live-words]')
const { liveSaid, lost, looked } = line.dataset

let stream
let silence
let reading
let readings = 0

function fromMarkup(markup) {
  const template = document.createElement('template')
  template.innerHTML = markup
  return template
}

/** Puts new content where it differs from what is there, so that nothing is read out or moves without reason. */
function show(name, markup) {
  const place = document.querySelector(`[data-live="${name}"]`)
  const template = fromMarkup(markup)
  if (place === null) return
  // What its reader has opened stays open.
  for (const shut of template.content.querySelectorAll('details[data-name]')) {
    shut.open = place.querySelector(`details[data-name="${shut.dataset.name}"]`)?.open ?? false
  }
  if (place.innerHTML === template.innerHTML) return
  place.replaceChildren(template.content)
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
    // Closed: the stream was refused. Otherwise the browser comes back by itself.
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

// Browsers keep few connections to one host: pages that nobody looks at give theirs back.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) stop()
  else startStream()
})
addEventListener('pagehide', stop)
addEventListener('pageshow', (event) => {
  if (event.persisted) startStream()
})
if (!document.hidden) startStream()
