import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Makes this plugin's routes accept form posts and no other content type. */
export async function takeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody)
}

/** Returns a field from a form post. Returns '' if it is missing or repeated. */
export function formText(request: FastifyRequest, name: string): string {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return typeof value === 'string' ? value : ''
}

/** Returns all values of a field in a form post, such as checked boxes. */
export function formTexts(request: FastifyRequest, name: string): string[] {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
}
