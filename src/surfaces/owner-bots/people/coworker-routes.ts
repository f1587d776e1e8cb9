import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../../domain/accounts/accounts.ts'
import { type CoworkerRole, coworkerRoles, type NamedCoworker } from '../../../domain/bots/bot.ts'
import { capabilityMay, mayDo } from '../../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import { parseUserId, type UserId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { SlidingLog } from '../../../domain/limits/sliding-log.ts'
import { formText, formTexts } from '../../../pages/form-posts.ts'
import type { Words } from '../../../pages/html.ts'
import { sendPage } from '../../../pages/page.ts'
import { waitWords } from '../../../pages/words/figures.ts'
import { type FormError, tryChange } from '../bot-errors.ts'
import { type BotPageServices, type BotVisit, onBot, onFound } from '../on-bot.ts'
import { type CoworkerInput, changeCoworkerPage, removeCoworkerPage } from './coworker-page.ts'
import { coworkersPage } from './coworkers-page.ts'
import { coworkerWords } from './words.ts'

export interface CoworkerServices extends BotPageServices {
  accounts: Accounts
}

const errorWords = coworkerWords.errors
export const noInput: CoworkerInput = { who: '', role: 'viewer', capabilities: [] }

/** Registers `/bots/{botId}/coworkers`: listing, adding, changing and removing collaborators, and leaving the bot. */
export function coworkerRoutes(app: FastifyInstance, services: CoworkerServices): void {
  const { settings } = services.bots
  // A failed lookup reveals that a person has no account here, so the number of failed lookups per user is limited.
  const misses = new SlidingLog({ limit: limits.unknownCoworkersPerHour, windowMs: 3_600_000 })

  app.get(
    '/bots/:botId/coworkers',
    onBot(services, 'see', async (visit) =>
      sendCoworkers(services, visit, { status: 200, input: noInput, errors: [] }),
    ),
  )

  app.post(
    '/bots/:botId/coworkers',
    onBot(services, { action: 'change-coworkers' }, async (visit) => {
      const { bot, by, nowMs, request, reply } = visit
      const input = readInput(request)
      const refuse = (status: number, errors: readonly FormError[]) =>
        sendCoworkers(services, visit, { status, input, errors })
      if (input.who === '') return refuse(422, [whoError(errorWords.whoMissing)])
      const waitMs = misses.waitMs(by.userId, nowMs)
      if (waitMs > 0) return refuse(429, [whoError(errorWords.tooManyMisses(waitWords(waitMs)))])
      const userId = await findUser(services.accounts, input.who)
      if (userId === undefined) {
        misses.add(by.userId, nowMs)
        return refuse(422, [whoError(errorWords.notFound)])
      }
      if ((await services.bots.records.findCoworker(bot.id, userId)) !== undefined) {
        return refuse(422, [whoError(errorWords.already)])
      }
      const { role, capabilities } = input
      const { errors } = await tryChange(() => settings.putCoworker(bot.id, { userId, role, capabilities }, by))
      if (errors !== undefined) return refuse(422, errors)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId, role }, 'coworker added')
      return services.flash.redirect(reply, `/bots/${bot.id}/coworkers`, 'coworker-added')
    }),
  )

  app.get(
    '/bots/:botId/coworkers/:userId',
    onCoworker(services, 'change-coworkers', async (visit, coworker) => {
      return sendPage(visit.reply, changeCoworkerPage({ ...visit, coworker, input: { who: '', ...coworker } }))
    }),
  )

  app.post(
    '/bots/:botId/coworkers/:userId',
    onCoworker(services, { action: 'change-coworkers' }, async (visit, coworker) => {
      const { bot, by, request, reply } = visit
      const { role, capabilities } = readInput(request)
      // The form doesn't list the platform's own capabilities, so the change must keep them.
      const kept = coworker.capabilities.filter((capability) => !Object.hasOwn(capabilityMay, capability))
      const { userId } = coworker
      await settings.putCoworker(bot.id, { userId, role, capabilities: [...capabilities, ...kept] }, by)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId, role }, 'coworker changed')
      return services.flash.redirect(reply, `/bots/${bot.id}/coworkers`, 'coworker-changed')
    }),
  )

  app.get(
    '/bots/:botId/coworkers/:userId/removal',
    onCoworker(services, 'see', async (visit, coworker) => {
      demandRemoval(visit, coworker.userId)
      return sendPage(visit.reply, removeCoworkerPage({ ...visit, coworker }))
    }),
  )

  app.post(
    '/bots/:botId/coworkers/:userId/removal',
    onCoworker(services, 'see', async (visit, coworker) => {
      const { bot, by, request, reply } = visit
      const { userId } = coworker
      demandRemoval(visit, userId)
      await settings.removeCoworker(bot.id, userId, by)
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId }, 'coworker removed')
      if (userId === by.userId) return services.flash.redirect(reply, '/bots', 'left')
      return services.flash.redirect(reply, `/bots/${bot.id}/coworkers`, 'coworker-removed')
    }),
  )
}

const whoError = (message: Words): FormError => ({ field: 'who', message })

/**
 * Rejects the removal of another collaborator, unless the user is allowed to change collaborators. All collaborators
 * can remove themselves.
 */
function demandRemoval({ bot, by, role, capabilities }: BotVisit, userId: UserId): void {
  if (by.userId === userId || mayDo({ role, capabilities }, 'change-coworkers')) return
  throw new BotRefusal('not-allowed', { detail: `change-coworkers, bot ${bot.id}, user ${by.userId}, ${role}` })
}

async function coworkerIn({ bots }: CoworkerServices, { bot, request }: BotVisit): Promise<NamedCoworker | undefined> {
  const { userId } = request.params as { userId: string }
  return (await bots.settings.coworkers(bot.id)).find((one) => one.userId === userId)
}

/** Like `onBot`, but also passes the collaborator identified by the URL. */
const onCoworker = onFound(coworkerIn)

/** Finds a user by email if the text contains an @, otherwise by ID. */
async function findUser(accounts: Accounts, who: string): Promise<UserId | undefined> {
  if (who.includes('@')) return (await accounts.users.findByVerifiedEmail(who))?.id
  const id = parseUserId(who)
  return id && (await accounts.users.find(id))?.id
}

export function readInput(request: FastifyRequest): CoworkerInput {
  const given = formText(request, 'role')
  const role: CoworkerRole = coworkerRoles.find((known) => known === given) ?? 'viewer'
  const chosen = formTexts(request, 'capability')
  const capabilities = Object.keys(capabilityMay).filter((known) => chosen.includes(known))
  return { who: formText(request, 'who').trim(), role, capabilities }
}

async function sendCoworkers(
  { bots, flash }: CoworkerServices,
  visit: BotVisit,
  form: { status: number; input: CoworkerInput; errors: readonly FormError[] },
): Promise<FastifyReply> {
  const coworkers = await bots.settings.coworkers(visit.bot.id)
  const invitations = mayDo(visit, 'change-coworkers') ? await bots.invitations.list(visit.bot.id) : []
  const done = flash.take(visit.request, visit.reply)
  return sendPage(visit.reply, coworkersPage({ ...visit, coworkers, invitations, done, ...form }), {
    status: form.status,
  })
}
