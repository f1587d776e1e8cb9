import type { FastifyInstance, FastifyReply } from 'fastify'
import { hostingLocations } from '../../../domain/bots/bot.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import { type FormError, tryChange } from '../bot-errors.ts'
import { type BotPageServices, type BotVisit, onBot, pageAt } from '../on-bot.ts'
import { settingsPage } from './settings-page.ts'

type SettingsServices = BotPageServices & { baseUrl: string }

const page = pageAt('/bots/:botId/settings')

/** Registers `/bots/{botId}/settings`, and the forms for hosting, public status and its notice. */
export function settingsRoutes(app: FastifyInstance, services: SettingsServices): void {
  const { settings } = services.bots

  app.get(
    '/bots/:botId/settings',
    onBot(services, 'see', async (visit) => sendSettings(services, visit)),
  )

  // The button of this form is on the bot's overview.
  app.post(
    '/bots/:botId/hosting',
    onBot(services, { action: 'switch-hosting', page: pageAt('/bots/:botId') }, async ({ bot, by, request, reply }) => {
      const power = formText(request, 'hosting')
      if (power !== 'on' && power !== 'off') return reply.redirect(`/bots/${bot.id}`, 303)
      await settings.changeHosting(bot.id, { hostingEnabled: power === 'on' }, by)
      request.log.info({ bot: bot.id, user: by.userId, power }, 'hosting changed')
      return services.flash.redirect(reply, `/bots/${bot.id}`, `hosting-${power}`)
    }),
  )

  app.post(
    '/bots/:botId/location',
    onBot(services, { action: 'switch-hosting', page }, async ({ bot, by, request, reply }) => {
      const chosen = formText(request, 'location')
      const location = chosen === '' ? null : hostingLocations.find((known) => known === chosen)
      if (location === undefined) return reply.redirect(`/bots/${bot.id}/settings`, 303)
      await settings.changeHosting(bot.id, { hostingLocation: location }, by)
      request.log.info({ bot: bot.id, user: by.userId, location }, 'hosting location changed')
      return services.flash.redirect(reply, `/bots/${bot.id}/settings`, 'location')
    }),
  )

  app.post(
    '/bots/:botId/public-status',
    onBot(services, { action: 'change-status-page', page }, async ({ bot, by, request, reply }) => {
      const open = formText(request, 'public') === 'yes'
      await settings.switchPublicStatus(bot.id, open, by)
      request.log.info({ bot: bot.id, user: by.userId, open }, 'public status changed')
      return services.flash.redirect(reply, `/bots/${bot.id}/settings`, `status-${open ? 'public' : 'closed'}`)
    }),
  )

  app.post(
    '/bots/:botId/notice',
    onBot(services, { action: 'change-status-page', page }, async (visit) => {
      const { bot, by, request, reply } = visit
      const notice = formText(request, 'notice')
      const { errors } = await tryChange(() => services.bots.notices.put(by.userId, bot.id, notice))
      if (errors !== undefined) return sendSettings(services, visit, { notice, errors })
      request.log.info({ bot: bot.id, user: by.userId }, 'status notice changed')
      const done = `notice${notice.trim() === '' ? '-cleared' : ''}`
      return services.flash.redirect(reply, `/bots/${bot.id}/settings`, done)
    }),
  )
}

async function sendSettings(
  { bots, flash, baseUrl }: SettingsServices,
  visit: BotVisit,
  form?: { notice: string; errors: readonly FormError[] },
): Promise<FastifyReply> {
  const stored = await bots.notices.find(visit.bot.id)
  const done = flash.take(visit.request, visit.reply)
  const view = { ...visit, done, stored, baseUrl, errors: [], notice: stored?.text ?? '', ...form }
  return sendPage(visit.reply, settingsPage(view), { status: form === undefined ? 200 : 422 })
}
