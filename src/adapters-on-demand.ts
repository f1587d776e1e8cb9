import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config/config.ts'
import type { UpstreamProvider } from './domain/accounts/linked-accounts/upstream.ts'
import type { Clock } from './domain/clock.ts'

// Adapters that only some configurations need. They and their libraries are imported on demand.

export async function openTracing(
  settings: NonNullable<Config['tracing']>,
  { clock, log }: { clock: Clock; log: FastifyBaseLogger },
) {
  const { otlpTracing } = await import('./adapters/tracing/otlp-tracing.ts')
  return otlpTracing({
    settings,
    clock,
    onFault: (error) => log.warn({ err: error }, 'sending traces failed, retrying'),
  })
}

export async function smtpTransport(settings: NonNullable<Config['smtp']>, baseUrl: string) {
  const { smtpMail } = await import('./adapters/mail/smtp-mail.ts')
  return smtpMail({ ...settings, baseUrl })
}

/** Returns the configured sign-in providers. */
export async function upstreamProviders({ providers, base }: Config, clock: Clock): Promise<UpstreamProvider[]> {
  if (providers.length === 0) return []
  const { oauthProvider } = await import('./adapters/upstream/oauth-provider.ts')
  const { openIdProvider } = await import('./adapters/upstream/openid-provider.ts')
  return providers.map((settings) => {
    const redirectUri = `${base.url}/linked/${settings.key}/callback`
    return settings.key === 'upstream'
      ? openIdProvider({ ...settings, redirectUri, clock })
      : oauthProvider({ ...settings, redirectUri })
  })
}
