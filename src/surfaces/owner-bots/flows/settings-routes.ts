import type { FastifyInstance } from 'fastify'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import { tryChange } from '../bot-errors.ts'
import { type BotVisit, pageAt } from '../on-bot.ts'
import { newKeyPage, requireKeyPage } from './confirm-pages.ts'
import { currentKeyOf } from './flow-page.ts'
import type { DedupeInput, SignatureInput } from './flow-settings-sections.ts'
import { type FlowServices, onFlow, sendFlow } from './routes.ts'

/**
 * Registers the forms for a flow's webhook settings: ordering and deduplication, the key requirement, and the
 * signature.
 */
export function flowSettingsRoutes(app: FastifyInstance, services: FlowServices): void {
  const { flows } = services.bots

  app.post(
    '/bots/:botId/flows/:flowId/taking',
    onFlow(services, { action: 'change-flows', page: pageAt('/bots/:botId/flows/:flowId') }, async (visit, flow) => {
      const { bot, by, request, reply } = visit
      const ordered = formText(request, 'ordered') === 'yes'
      const dedupe: DedupeInput = {
        by: formText(request, 'dedupe_by'),
        header: formText(request, 'dedupe_header').trim(),
        pointer: formText(request, 'dedupe_pointer').trim(),
        window: formText(request, 'dedupe_window').trim(),
      }
      const { errors } = await tryChange(() =>
        flows.changeWebhook(bot.id, flow.id, { by, ordered, dedupe: dedupeOf(dedupe) }),
      )
      if (errors !== undefined)
        return sendFlow(services, visit, flow, { status: 422, errors, input: { ordered, dedupe } })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow changed')
      return services.flash.redirect(reply, `/bots/${bot.id}/flows/${flow.id}`, 'flow-changed')
    }),
  )

  app.get(
    '/bots/:botId/flows/:flowId/key-requirement',
    onFlow(services, 'change-keys', async (visit, flow) => askToRequireKey(visit, flow)),
  )

  app.post(
    '/bots/:botId/flows/:flowId/key-requirement',
    onFlow(services, { action: 'change-keys', page: pageAt('/bots/:botId/flows/:flowId') }, async (visit, flow) => {
      const { bot, by, request, reply } = visit
      const ownerRequiresKey = formText(request, 'required') !== 'no'
      // Requiring a key that no sender has would reject all webhooks.
      if (ownerRequiresKey && currentKeyOf(flow) === undefined) return askToRequireKey(visit, flow)
      const { errors, result: put } = await tryChange(() =>
        flows.changeWebhook(bot.id, flow.id, { by, ownerRequiresKey }),
      )
      if (errors !== undefined) return sendFlow(services, visit, flow, { status: 422, errors })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId, ownerRequiresKey }, 'key requirement changed')
      // The flow's key was removed meanwhile, so one was created. It is shown only in this response.
      const { clearTextKey } = put
      if (clearTextKey !== undefined) return sendFlow(services, visit, put.flow, { clearTextKey })
      const done = ownerRequiresKey ? 'key-required' : 'key-not-required'
      return services.flash.redirect(reply, `/bots/${bot.id}/flows/${flow.id}`, done)
    }),
  )

  app.post(
    '/bots/:botId/flows/:flowId/signature',
    onFlow(services, { action: 'change-keys', page: pageAt('/bots/:botId/flows/:flowId') }, async (visit, flow) => {
      const { bot, by, request, reply } = visit
      const signature: SignatureInput = {
        preset: formText(request, 'preset'),
        publicKey: formText(request, 'public_key').trim(),
        header: formText(request, 'header').trim(),
        hash: formText(request, 'hash'),
        encoding: formText(request, 'encoding'),
        prefix: formText(request, 'prefix').trim(),
        signed: formText(request, 'signed').trim(),
        timestampHeader: formText(request, 'timestamp_header').trim(),
        timestampPart: formText(request, 'timestamp_part').trim(),
      }
      const change = signatureOf(signature, formText(request, 'secret'))
      const { errors } = await tryChange(() => flows.changeWebhook(bot.id, flow.id, { by, signature: change }))
      if (errors !== undefined) return sendFlow(services, visit, flow, { status: 422, errors, input: { signature } })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow signature changed')
      return services.flash.redirect(reply, `/bots/${bot.id}/flows/${flow.id}`, 'flow-changed')
    }),
  )

  app.post(
    '/bots/:botId/flows/:flowId/previous-secret/end',
    onFlow(services, { action: 'change-keys', page: pageAt('/bots/:botId/flows/:flowId') }, async (visit, flow) => {
      const { bot, by, request, reply } = visit
      const { errors } = await tryChange(() => flows.changeWebhook(bot.id, flow.id, { by, endsPreviousSecret: true }))
      if (errors !== undefined) return sendFlow(services, visit, flow, { status: 422, errors })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'previous signing secret ended')
      return services.flash.redirect(reply, `/bots/${bot.id}/flows/${flow.id}`, 'flow-changed')
    }),
  )
}

/** Asks before the flow's key is required or, if it has none, before one is created. */
function askToRequireKey(visit: BotVisit, flow: Flow) {
  const lastFour = currentKeyOf(flow)?.lastFour
  const page = lastFour === undefined ? newKeyPage({ ...visit, flow }) : requireKeyPage({ ...visit, flow, lastFour })
  return sendPage(visit.reply, page)
}

function dedupeOf({ by, header, pointer, window }: DedupeInput) {
  if (by !== 'header' && by !== 'pointer') return null
  const windowSeconds = window === '' ? undefined : Number(window)
  return by === 'header' ? { header, windowSeconds } : { pointer, windowSeconds }
}

/** Returns the signature settings with only the preset's own fields, or `null` if no preset is chosen. */
function signatureOf(input: SignatureInput, clearText: string) {
  const { preset, publicKey, header, hash, encoding, prefix } = input
  if (preset === '') return null
  if (preset === 'discord') return { preset, publicKey }
  // An empty field keeps the stored secret.
  const clearTextSecret = clearText === '' ? undefined : clearText
  if (preset === 'token') return { preset, clearTextSecret, header }
  if (preset !== 'hmac') return { preset, clearTextSecret }
  const signed = input.signed || undefined
  const timestampHeader = input.timestampHeader || undefined
  const timestampPart = input.timestampPart || undefined
  return { preset, clearTextSecret, header, hash, encoding, prefix, signed, timestampHeader, timestampPart }
}
