import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../../domain/accounts/accounts.ts'
import type { BotVisit, By } from '../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { BotAction } from '../../domain/bots/bot-rights.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import { type KeptFormServices, keptInputOf, type LateForm, leadToSignIn } from '../../pages/kept-form.ts'
import { type PageFrame, sendPage } from '../../pages/page.ts'
import { nothingOfBotPage } from './views/refusal-pages.ts'

export interface VisitServices extends KeptFormServices {
  bots: Bots
  formTokens: FormTokens
  clock: Clock
}

/** Somebody signed in, at one of these pages. */
export interface Visit {
  session: Session
  person: NonNullable<PageFrame['person']>
  /** Who acts, for what is recorded. */
  by: By
  nowMs: number
  request: FastifyRequest
  reply: FastifyReply
}

/** Somebody at a page of a bot that they have a part in. */
export interface VisitOfBot extends Visit, BotVisit {}

/** A route for whoever is signed in; all others sign in first, and come back. A post is checked against forgery. */
export function signedIn(services: VisitServices, work: (visit: Visit) => Promise<FastifyReply>, late?: LateForm) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === 'POST') services.formTokens.check(request)
    const session = await services.sessions.current(request)
    if (session === undefined) return leadToSignIn(services, request, reply, late)
    const kept = await keptInputOf(services, request, session)
    const person = { ...personOf(services, session, request, reply), kept }
    const by = { userId: session.userId, origin: browserInfo(request) }
    return work({ session, person, by, nowMs: services.clock.nowMs(), request, reply })
  }
}

/** As `signedIn`, for who may do this with the bot in the address. @throws BotRefusal `bot-unknown`, `not-allowed`. */
export function onBot(
  services: VisitServices,
  action: BotAction,
  work: (visit: VisitOfBot) => Promise<FastifyReply>,
  late?: LateForm,
) {
  return signedIn(
    services,
    async (visit) => {
      const { botId } = visit.request.params as { botId: string }
      const id = parseBotId(botId)
      // What is no id at all names no bot either.
      if (id === undefined) throw new BotRefusal('bot-unknown')
      return work({ ...visit, ...(await services.bots.access.demand(visit.session.userId, id, action)) })
    },
    late,
  )
}

/** An `onBot` that also hands over what the address names besides the bot. Where `find` finds nothing, that is said. */
export function onFound<Services extends VisitServices, Found>(
  find: (services: Services, visit: VisitOfBot) => Promise<Found | undefined>,
) {
  return (
    services: Services,
    action: BotAction,
    work: (visit: VisitOfBot, found: Found) => Promise<FastifyReply>,
    late?: LateForm,
  ) =>
    onBot(
      services,
      action,
      async (visit) => {
        const found = await find(services, visit)
        return found === undefined ? sendNothingHere(visit) : work(visit, found)
      },
      late,
    )
}

/** The page that a form stands on, with `:botId` and whatever else the form's own address names. */
export function pageAt(pattern: string) {
  return ({ params }: FastifyRequest): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))
}

export function personOf(
  services: VisitServices,
  session: Session,
  request: FastifyRequest,
  reply: FastifyReply,
): NonNullable<PageFrame['person']> {
  return { name: session.userName, signOutAction: '/sign-out', formToken: services.formTokens.issue(request, reply) }
}

/** What the address names of the bot is not there, or not any more. */
export function sendNothingHere({ bot, person, reply }: VisitOfBot): FastifyReply {
  return sendPage(reply, nothingOfBotPage(person, bot), { status: 404 })
}

/** Returns the choice of a filter: `undefined` if the filter is empty, and `unknown` for anything else. */
export function namedOf<Choice extends string>(
  choices: readonly Choice[],
  named: unknown,
): Choice | 'unknown' | undefined {
  if (named === undefined || named === '') return undefined
  return choices.find((choice) => choice === named) ?? 'unknown'
}
