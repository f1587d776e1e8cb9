import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Lets the routes of this plugin take form posts, and nothing else: no surface with pages takes JSON. */
export async function takeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody)
}

/** One field of a form post as text; empty when it is missing or repeated. */
export function formText(request: FastifyRequest, name: string): string {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return typeof value === 'string' ? value : ''
}

/** All that a form post says under one name, such as the boxes checked. */
export function formTexts(request: FastifyRequest, name: string): string[] {
  const form = request.body as Record<string, unknown> | undefined
  const value = form?.[name]
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string')
}
