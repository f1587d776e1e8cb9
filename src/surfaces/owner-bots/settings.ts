import type { FastifyInstance, FastifyReply } from 'fastify'
import type { StatusNotice } from '../../domain/bots/bot.ts'
import { mayDo } from '../../domain/bots/bot-access.ts'
import { button, buttonRow, linkButton, postForm, section, state } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { codeSample, copyField } from '../../pages/components/secrets.ts'
import { type Filled, form, oneOf, textField } from '../../pages/form.ts'
import { formText } from '../../pages/form-posts.ts'
import { acceptPost, formPost, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { locationWords } from '../../pages/words/bots.ts'
import { type BotPageServices, type BotVisit, botPartPage, onBot, pageAt } from './bot-pages.ts'
import { botDone, botErrors } from './words.ts'

type SettingsView = BotVisit & { stored: StatusNotice | undefined; filled: Partial<Filled<{ notice: string }>> }

const locationForm = form({
  location: oneOf({
    label: t`Location`,
    among: [
      { value: 'local', label: locationWords.local, hint: t`A runtime on your own machine.` },
      { value: 'cloud', label: locationWords.cloud, hint: t`A runtime operated by the platform.` },
      { value: '', label: t`Not set` },
    ],
    otherwise: undefined,
  }),
})

const noticeForm = form(
  { notice: textField({ label: t`Notice on the status page`, autocomplete: 'off' }) },
  { focusesError: true },
)

function settingsPage(view: SettingsView): Html {
  return botPartPage(view, {
    part: 'settings',
    canonical: `/bots/${view.bot.id}/settings`,
    body: html`${locationSection(view)}
${publicStatusSection(view)}
${section({
  aside: true,
  id: 'events',
  title: t`Event subscriptions`,
  about: html`<p>${t`Tell your server or channel when your bots go offline, or webhooks fail for good.`}</p>`,
  body: html`<p>${linkButton({ label: t`Manage subscriptions`, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}`,
  })
}

function locationSection(view: SettingsView): Html {
  const { bot } = view
  return section({
    aside: true,
    id: 'location',
    title: t`Hosting location`,
    about: html`<p>${t`Shown to collaborators and in the status API. It doesn’t restrict runtimes.`}</p>`,
    body: mayDo(view, 'switch-hosting')
      ? postForm(
          { action: `/bots/${bot.id}/location`, style: 'card' },
          Object.values(locationForm.fields({ values: { location: bot.hostingLocation ?? '' } })),
          buttonRow(button({ label: t`Save location`, tone: 'plain' })),
        )
      : html`<div class="card"><p>${bot.hostingLocation === null ? t`Not set` : locationWords[bot.hostingLocation]}</p></div>`,
  })
}

function publicStatusSection(view: SettingsView): Html {
  const { bot, services } = view
  // The chat platform assigns this ID. The bot ID is specific to this service.
  const address = `${services.baseUrl}/botstatus/${bot.chatPlatformId}`
  return section({
    aside: true,
    id: 'public-status',
    title: t`Public status`,
    about: html`<p>${t`A public page and a JSON API that show whether the bot is online.`}</p>`,
    body: html`<div class="card">
${
  bot.publicStatus
    ? html`<div class="stack tight">${state({ tone: 'good', word: t`Public` })}<p>${t.html`Anyone can see the bot’s status. <a href="${address}">Open status page</a>`}</p></div>
${copyField({ label: t`Status page`, text: address })}
${copyField({ label: t`JSON API`, text: `${address}/api` })}
${codeSample({ name: 'status-snippet', title: t`Status badge`, samples: statusSnippets(address, bot.name) })}`
    : html`<div class="stack tight">${state({ tone: 'neutral', word: t`Not public` })}<p>${t`Visitors get a 404 page.`}</p></div>`
}
${
  mayDo(view, 'change-status-page') &&
  postForm(
    { action: `/bots/${bot.id}/public-status` },
    html`<div class="buttons">${
      bot.publicStatus
        ? html`${button({ label: t`Make status private`, tone: 'plain', name: 'public', value: 'no' })}<span class="soft small">${t`The status page and badge stop working within one second.`}</span>`
        : html`${button({ label: t`Make status public`, tone: 'plain', name: 'public', value: 'yes' })}<span class="soft small">${t`Anyone can then see the bot’s name, picture, state, and number of servers and shards.`}</span>`
    }</div>`,
  )
}
</div>${noticeCard(view)}`,
  })
}

/** Renders the status page's notice: a form, or plain text for users who aren't allowed to change it. */
function noticeCard(view: SettingsView): Html | false {
  const { bot, filled, stored, nowMs } = view
  if (!mayDo(view, 'change-status-page')) {
    return stored !== undefined && html`<div class="card"><h3>${t`Notice`}</h3><p>${stored.text}</p></div>`
  }
  const hint =
    stored === undefined
      ? t`One line, for example about planned maintenance. Leave empty to remove it.`
      : t`One line, for example about planned maintenance. Leave empty to remove it. Published ${time(stored.setAtMs, nowMs)}.`
  return postForm(
    { action: `/bots/${bot.id}/notice`, style: 'card', novalidate: true },
    noticeForm.fields(filled, { notice: { hint } }).notice,
    buttonRow(button({ label: t`Save notice`, tone: 'plain' })),
  )
}

/** Returns snippets for a README and for a website. They are in English, as the badge is. */
export function statusSnippets(page: string, botName: string): { language: string; code: string }[] {
  const badge = `${page}/badge.svg`
  const words = `Status of ${botName}`
  // Escapes Markdown syntax in the name.
  const markdown = `[![${words.replace(/[\\[\]`*_<>!]/g, '\\$&')}](${badge})](${page})`
  const markup = html`<a href="${page}"><img src="${badge}" alt="${words}" height="20"></a>`.in('en')
  return [
    { language: 'Markdown', code: markdown },
    { language: 'HTML', code: markup },
  ]
}

const page = pageAt('/bots/:botId/settings')

export function settingsRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { records, notices } = services.bots

  showPage(app, '/bots/:botId/settings', onBot(services, 'see'), sendSettings)

  // The button of this form is on the bot's overview.
  const onOverview = onBot(services, { action: 'switch-hosting', page: pageAt('/bots/:botId') })
  acceptPost(app, '/bots/:botId/hosting', onOverview, async ({ bot, by, request, reply, redirect }) => {
    const power = formText(request, 'hosting')
    if (power !== 'on' && power !== 'off') return reply.redirect(`/bots/${bot.id}`, 303)
    await records.changeHosting(bot.id, { hostingEnabled: power === 'on' }, by)
    request.log.info({ bot: bot.id, user: by.userId, power }, 'hosting changed')
    return redirect(`/bots/${bot.id}`, power === 'on' ? botDone.hostingOn : botDone.hostingOff)
  })

  const onLocation = onBot(services, { action: 'switch-hosting', page })
  acceptPost(app, '/bots/:botId/location', onLocation, async ({ bot, by, request, reply, redirect }) => {
    const { location } = locationForm.read(request)
    if (location === undefined) return reply.redirect(`/bots/${bot.id}/settings`, 303)
    await records.changeHosting(bot.id, { hostingLocation: location || null }, by)
    request.log.info({ bot: bot.id, user: by.userId, location: location || null }, 'hosting location changed')
    return redirect(`/bots/${bot.id}/settings`, botDone.location)
  })

  const onStatus = onBot(services, { action: 'change-status-page', page })
  acceptPost(app, '/bots/:botId/public-status', onStatus, async ({ bot, by, request, redirect }) => {
    const open = formText(request, 'public') === 'yes'
    await records.switchPublicStatus(bot.id, open, by)
    request.log.info({ bot: bot.id, user: by.userId, open }, 'public status changed')
    return redirect(`/bots/${bot.id}/settings`, open ? botDone.statusPublic : botDone.statusClosed)
  })

  formPost(app, '/bots/:botId/notice', onStatus, {
    form: noticeForm,
    errors: botErrors,
    show: sendSettings,
    async post({ bot, by, request, redirect }, { notice }) {
      await notices.put(by.userId, bot.id, notice)
      request.log.info({ bot: bot.id, user: by.userId }, 'status notice changed')
      return redirect(`/bots/${bot.id}/settings`, notice.trim() === '' ? botDone.noticeCleared : botDone.notice)
    },
  })
}

async function sendSettings(visit: BotVisit, rejected?: Filled<{ notice: string }>): Promise<FastifyReply> {
  const stored = await visit.services.bots.notices.find(visit.bot.id)
  const filled = rejected ?? { values: { notice: stored?.text ?? '' } }
  return visit.send(settingsPage({ ...visit, stored, filled }), rejected?.status)
}
