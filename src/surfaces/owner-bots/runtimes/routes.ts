import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Accounts } from '../../../domain/accounts/accounts.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import type { Build } from '../../../domain/build.ts'
import { parseRuntimeId } from '../../../domain/ids.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import { type FormError, tryChange } from '../bot-errors.ts'
import { keyBeforeIn, keyNumberIn } from '../key-form.ts'
import { type BotPageServices, type BotVisit, onBot, onFound, sendNotFound } from '../on-bot.ts'
import { endRuntimeKeyPage, newRuntimeKeyPage, removeRuntimePage } from './confirm-pages.ts'
import { heardFromPlatform, hostingRuntimes, mayHost } from './hosting-runtimes.ts'
import { runtimesPage } from './runtimes-page.ts'

export interface RuntimeServices extends BotPageServices {
  accounts: Pick<Accounts, 'users'>
  apiUrl: string
  portalUrl: string
  build: Build
}

/** Registers `/bots/{botId}/runtimes`: the user's runtimes that are allowed to host the bot, and their keys. */
export function runtimeRoutes(app: FastifyInstance, services: RuntimeServices): void {
  const { runtimes } = services.bots

  app.get(
    '/bots/:botId/runtimes',
    onBot(services, 'change-runtimes', async (visit) => sendRuntimes(services, visit)),
  )

  app.post(
    '/bots/:botId/runtimes',
    onBot(services, { action: 'change-runtimes' }, async (visit) => {
      const { bot, by, request } = visit
      const name = formText(request, 'name')
      const hosts = formText(request, 'hosts') === 'all' ? 'all' : 'this'
      const { errors, result: made } = await tryChange(() =>
        runtimes.make({ name, botIds: hosts === 'all' ? null : [bot.id] }, by),
      )
      if (errors !== undefined) return sendRuntimes(services, visit, { status: 422, errors, name, hosts })
      request.log.info({ bot: bot.id, user: by.userId, runtime: made.runtime.id }, 'runtime created')
      return sendRuntimes(services, visit, { made })
    }),
  )

  app.get(
    '/bots/:botId/runtimes/:runtimeId/key',
    onRuntime(services, 'change-runtimes', async (visit, runtime) =>
      sendPage(visit.reply, newRuntimeKeyPage({ ...visit, runtime })),
    ),
  )

  app.post(
    '/bots/:botId/runtimes/:runtimeId/key',
    onRuntime(services, { action: 'change-runtimes' }, async (visit, runtime) => {
      const { by, request } = visit
      const keyBefore = keyBeforeIn(visit)
      const { errors, result: made } = await tryChange(() => runtimes.makeKey(runtime.id, { by, keyBefore }))
      if (errors !== undefined) return sendRuntimes(services, visit, { status: 422, errors })
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key created')
      return sendRuntimes(services, visit, { made })
    }),
  )

  app.get(
    '/bots/:botId/runtimes/:runtimeId/keys/:number/end',
    onRuntime(services, 'change-runtimes', async (visit, runtime) => {
      const key = runtime.keys.find(({ number }) => number === keyNumberIn(visit))
      if (key === undefined) return sendNotFound(visit)
      return sendPage(visit.reply, endRuntimeKeyPage({ ...visit, runtime, key }))
    }),
  )

  app.post(
    '/bots/:botId/runtimes/:runtimeId/keys/:number/end',
    onRuntime(services, 'change-runtimes', async (visit, runtime) => {
      const { bot, by, request, reply } = visit
      const { errors } = await tryChange(() => runtimes.endKey(runtime.id, keyNumberIn(visit), by))
      if (errors !== undefined) return sendRuntimes(services, visit, { status: 422, errors })
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key revoked')
      return services.flash.redirect(reply, `/bots/${bot.id}/runtimes`, 'key-ended')
    }),
  )

  app.get(
    '/bots/:botId/runtimes/:runtimeId/removal',
    onRuntime(services, 'change-runtimes', async (visit, runtime) =>
      sendPage(visit.reply, removeRuntimePage({ ...visit, runtime })),
    ),
  )

  app.post(
    '/bots/:botId/runtimes/:runtimeId/removal',
    onRuntime(services, 'change-runtimes', async (visit, runtime) => {
      const { bot, by, request, reply } = visit
      await runtimes.remove(runtime.id, by)
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime removed')
      return services.flash.redirect(reply, `/bots/${bot.id}/runtimes`, 'runtime-removed')
    }),
  )
}

/** Returns the user's runtime identified by the URL, if it is allowed to host this bot. */
async function runtimeIn(
  { bots }: RuntimeServices,
  { by, bot, request }: BotVisit,
): Promise<RuntimeRecord | undefined> {
  const { runtimeId } = request.params as { runtimeId: string }
  const id = parseRuntimeId(runtimeId)
  const runtime = id && (await bots.runtimes.find(id, by.userId))
  return runtime && mayHost(runtime, bot) ? runtime : undefined
}

/** Like `onBot`, but also passes the runtime identified by the URL. */
const onRuntime = onFound(runtimeIn)

async function sendRuntimes(
  { accounts, bots, apiUrl, portalUrl, build, flash }: RuntimeServices,
  visit: BotVisit,
  answer: {
    status?: number
    errors?: readonly FormError[]
    /** The runtime whose key was created by this request. The page shows no others beside the new key. */
    made?: { runtime: RuntimeRecord; clearTextKey: string }
    name?: string
    hosts?: 'this' | 'all'
  } = {},
): Promise<FastifyReply> {
  const { status = 200, errors = [], name = '', hosts = 'this', made } = answer
  const all = await hostingRuntimes(bots, visit.bot)
  const runtimes = made === undefined ? all : all.filter(({ runtime }) => runtime.id === made.runtime.id)
  const platformHeardAtMs = made === undefined ? await heardFromPlatform(bots, visit.bot, all, visit.nowMs) : null
  const done = flash.take(visit.request, visit.reply)
  const { version } = build
  const confirmFirst = errors.length === 0 && (await accounts.users.mustConfirmEmail(visit.by.userId))
  const form = { errors, name, hosts, confirmFirst }
  const hosting = { runtimes, platformHeardAtMs }
  const view = { ...visit, ...form, ...hosting, clearTextKey: made?.clearTextKey, done, apiUrl, portalUrl, version }
  return sendPage(visit.reply, runtimesPage(view), { status })
}
