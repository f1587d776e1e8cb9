// What every page gets where scripts run. Each part only adds; nothing depends on it.

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (navigator.clipboard === undefined) break
  const text = button.parentElement.querySelector('.text')
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
      // Refused by the browser: select it, so that the keyboard can copy it.
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

// A second press while the first is under way would do the thing twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'true') event.preventDefault()
    form.dataset.sent = 'true'
    for (const button of form.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true')
  })
}
// Coming back by the browser's history, the form can be sent again.
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-disabled')
  }
})

// A page that answers a post stands for another address: reloading it must not post again.
const canonical = document.querySelector('link[rel="canonical"]')
if (canonical !== null) history.replaceState(null, '', canonical.href + location.hash)

// Choosing colours without leaving the page keeps what was typed on it.
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
