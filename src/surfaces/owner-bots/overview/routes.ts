import type { FastifyInstance, FastifyReply } from 'fastify'
import { hostingLocations } from '../../../domain/bots/bot.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import { formText } from '../../../pages/form-fields.ts'
import { sendPage } from '../../../pages/page.ts'
import { type FormError, formErrorsOf } from '../bot-errors.ts'
import { type BotPageServices, type BotVisit, onBot, pageAt } from '../on-bot.ts'
import { botPage } from './bot-page.ts'

/** Registers `/bots/{botId}`: state, hosting, public status and its notice. */
export function hostingRoutes(app: FastifyInstance, services: BotPageServices & { baseUrl: string }): void {
  const { settings } = services.bots

  app.get(
    '/bots/:botId',
    onBot(services, 'see', async (visit) => sendBot(services, visit)),
  )

  app.post(
    '/bots/:botId/hosting',
    onBot(
      services,
      'switch-hosting',
      async ({ bot, by, request, reply }) => {
        const power = formText(request, 'hosting')
        const chosen = formText(request, 'location')
        const location = hostingLocations.find((known) => known === chosen) ?? null
        // The user chose neither option, so there is nothing to change.
        if (power !== 'on' && power !== 'off') return reply.redirect(`/bots/${bot.id}#hosting`, 303)
        await settings.switchHosting(bot.id, { enabled: power === 'on', location }, by)
        request.log.info({ bot: bot.id, user: by.userId, power, location }, 'hosting changed')
        return services.flash.redirect(reply, `/bots/${bot.id}`, `hosting-${power}`)
      },
      { page: pageAt('/bots/:botId'), keeps: ['hosting', 'location'] },
    ),
  )

  app.post(
    '/bots/:botId/public-status',
    onBot(
      services,
      'change-status-page',
      async ({ bot, by, request, reply }) => {
        const open = formText(request, 'public') === 'yes'
        await settings.switchPublicStatus(bot.id, open, by)
        request.log.info({ bot: bot.id, user: by.userId, open }, 'public status changed')
        return services.flash.redirect(reply, `/bots/${bot.id}`, `status-${open ? 'public' : 'closed'}`)
      },
      { page: pageAt('/bots/:botId') },
    ),
  )

  app.post(
    '/bots/:botId/notice',
    onBot(
      services,
      'change-status-page',
      async (visit) => {
        const { bot, by, request, reply } = visit
        const notice = formText(request, 'notice')
        const errors = await formErrorsOf(() => services.bots.notices.put(by.userId, bot.id, notice))
        if (errors !== undefined) return sendBot(services, visit, { notice, errors })
        request.log.info({ bot: bot.id, user: by.userId }, 'status notice changed')
        return services.flash.redirect(reply, `/bots/${bot.id}`, `notice${notice.trim() === '' ? '-cleared' : ''}`)
      },
      { page: pageAt('/bots/:botId'), keeps: ['notice'] },
    ),
  )
}

interface NoticeForm {
  notice: string
  errors: readonly FormError[]
}

async function sendBot(
  services: BotPageServices & { baseUrl: string },
  visit: BotVisit,
  form?: NoticeForm,
): Promise<FastifyReply> {
  const own = await services.bots.ownStatus.find(visit.bot.id)
  if (own === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${visit.bot.id}` })
  const done = services.flash.take(visit.request, visit.reply)
  const stored = await services.bots.notices.find(visit.bot.id)
  const view = {
    ...visit,
    ...own,
    done,
    stored,
    baseUrl: services.baseUrl,
    errors: [],
    notice: stored?.text ?? '',
    ...form,
  }
  return sendPage(visit.reply, botPage(view), { status: form === undefined ? 200 : 422 })
}
