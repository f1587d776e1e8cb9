// Enhancements for all pages. Pages also work without them.

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (navigator.clipboard === undefined) break
  const text = document.getElementById(button.dataset.copy) ?? button.closest('.copy').querySelector('.text')
  const words = button.firstChild
  const said = words.textContent
  const { copied, selected, selectedHow } = button.dataset
  const status = document.createElement('span')
  status.className = 'hidden-visually'
  status.setAttribute('role', 'status')
  button.after(status)
  let timer
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent)
      words.textContent = copied
      status.textContent = copied
    } catch {
      // The browser denied access to the clipboard. Select the text, so that the user can copy it with the keyboard.
      getSelection().selectAllChildren(text)
      words.textContent = selected
      status.textContent = selectedHow
    }
    clearTimeout(timer)
    timer = setTimeout(() => {
      words.textContent = said
      status.textContent = ''
    }, 2_000)
  })
}

// Prevents a second submission while the first is in flight.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'true') event.preventDefault()
    form.dataset.sent = 'true'
    for (const button of form.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true')
  })
}
// Lets a page that was restored from the browser's history submit its forms again.
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-disabled')
  }
})

// Changes the address of a page that is the response to a POST, so that a reload doesn't post again.
const canonical = document.querySelector('link[rel="canonical"]')
if (canonical !== null) history.replaceState(null, '', canonical.href + location.hash)

// On a phone, shows the current link of rows of links that scroll. Safari and Firefox don't do this by style alone.
for (const link of document.querySelectorAll(':is(.places, .tabs) [aria-current]')) {
  const { parentElement: row, offsetLeft, offsetWidth } = link
  row.scrollLeft = offsetLeft - row.offsetLeft - (row.clientWidth - offsetWidth) / 2
}

// Closes the user's menu with Escape, or with a click elsewhere.
const menu = document.querySelector('details.person')
if (menu !== null) {
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary').focus()
  })
  addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) menu.open = false
  })
}

// Opens the search above the page, with Ctrl+K, ⌘K or the header's link.
const find = document.querySelector('a.find')
if (find !== null) {
  const openSearch = async (event) => {
    event.preventDefault()
    try {
      const { open } = await import(find.dataset.script)
      open(find)
    } catch {
      location.href = find.href
    }
  }
  if (/mac|iphone|ipad/i.test(navigator.platform)) find.querySelector('kbd').textContent = '⌘ K'
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) openSearch(event)
  })
  find.addEventListener('click', (event) => {
    const { ctrlKey, metaKey, shiftKey } = event
    if (!ctrlKey && !metaKey && !shiftKey) openSearch(event)
  })
}

// Switches the theme without leaving the page, so that input isn't lost.
const root = document.documentElement
for (const link of document.querySelectorAll('.themes a')) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    const theme = new URL(link.href).pathname.split('/').at(-1)
    if (theme === 'system') delete root.dataset.theme
    else root.dataset.theme = theme
    fetch(link.href, { redirect: 'manual' }).catch(() => {
      location.href = link.href
    })
  })
}

// Shows times in the browser's time zone, which the footer names. The UTC time stays on hover.
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
    if (time.title !== '') time.title = `${text} (${time.title})`
    else time.textContent = time.dataset.hour === undefined ? text : text.slice(11, 16)
  }
  // In a log, the date is shown if it differs from the one above.
  let above
  for (const { dateTime, firstChild, lastChild } of document.querySelectorAll('time[data-ms]')) {
    const [date, clock] = inLocalTime(dateTime).split(' ')
    firstChild.textContent = `${date} `
    firstChild.hidden = date === above
    lastChild.textContent = clock + dateTime.slice(19, 23)
    above = date
  }
}

const zone = document.querySelector('[data-zone]')
if (zone !== null) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  zone.textContent = zone.textContent.replace('UTC', timeZone.replaceAll('_', ' '))
}

// `live.js` replaces parts of the page, including their times.
const changes = new MutationObserver(showLocalTimes)
for (const part of document.querySelectorAll('[data-live]')) changes.observe(part, { childList: true })
showLocalTimes()
