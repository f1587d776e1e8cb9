import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Filled } from '../../../pages/form.ts'
import { formText } from '../../../pages/form-posts.ts'
import { formPost } from '../../../pages/form-routes.ts'
import { type BotPageServices, type BotVisit, botRoutes, onBot, pageAt } from '../on-bot.ts'
import { botDone, botErrors } from '../words.ts'
import { locationForm, noticeForm, settingsPage } from './settings-page.ts'

type SettingsServices = BotPageServices & { baseUrl: string }

const page = pageAt('/bots/:botId/settings')

/** Registers `/bots/{botId}/settings`, and the forms for hosting, public status and its notice. */
export function settingsRoutes(app: FastifyInstance, services: SettingsServices): void {
  const { get, post } = botRoutes(app, services)
  const { records, notices } = services.bots

  get('/bots/:botId/settings', 'see', async (visit) => sendSettings(services, visit))

  // The button of this form is on the bot's overview.
  post('/bots/:botId/hosting', { action: 'switch-hosting', page: pageAt('/bots/:botId') }, async (visit) => {
    const { bot, by, request, reply, redirect } = visit
    const power = formText(request, 'hosting')
    if (power !== 'on' && power !== 'off') return reply.redirect(`/bots/${bot.id}`, 303)
    await records.changeHosting(bot.id, { hostingEnabled: power === 'on' }, by)
    request.log.info({ bot: bot.id, user: by.userId, power }, 'hosting changed')
    return redirect(`/bots/${bot.id}`, power === 'on' ? botDone.hostingOn : botDone.hostingOff)
  })

  post('/bots/:botId/location', { action: 'switch-hosting', page }, async ({ bot, by, request, reply, redirect }) => {
    const { location } = locationForm.read(request)
    if (location === undefined) return reply.redirect(`/bots/${bot.id}/settings`, 303)
    await records.changeHosting(bot.id, { hostingLocation: location || null }, by)
    request.log.info({ bot: bot.id, user: by.userId, location: location || null }, 'hosting location changed')
    return redirect(`/bots/${bot.id}/settings`, botDone.location)
  })

  post('/bots/:botId/public-status', { action: 'change-status-page', page }, async ({ bot, by, request, redirect }) => {
    const open = formText(request, 'public') === 'yes'
    await records.switchPublicStatus(bot.id, open, by)
    request.log.info({ bot: bot.id, user: by.userId, open }, 'public status changed')
    return redirect(`/bots/${bot.id}/settings`, open ? botDone.statusPublic : botDone.statusClosed)
  })

  formPost(app, '/bots/:botId/notice', onBot(services, { action: 'change-status-page', page }), {
    form: noticeForm,
    errors: botErrors,
    show: (visit, rejected) => sendSettings(services, visit, rejected),
    async post({ bot, by, request, redirect }, { notice }) {
      await notices.put(by.userId, bot.id, notice)
      request.log.info({ bot: bot.id, user: by.userId }, 'status notice changed')
      return redirect(`/bots/${bot.id}/settings`, notice.trim() === '' ? botDone.noticeCleared : botDone.notice)
    },
  })
}

async function sendSettings(
  { bots, baseUrl }: SettingsServices,
  visit: BotVisit,
  rejected?: Filled<{ notice: string }>,
): Promise<FastifyReply> {
  const stored = await bots.notices.find(visit.bot.id)
  const filled = rejected ?? { values: { notice: stored?.text ?? '' } }
  return visit.send(settingsPage({ ...visit, stored, baseUrl, filled }), rejected?.status)
}
