import type { FastifyRequest } from 'fastify'

/** Returns the rows on the page whose number is in the URL. A number out of range means the nearest page. */
export function pageOf<Row>(
  rows: readonly Row[],
  perPage: number,
  { query }: FastifyRequest,
): { rows: Row[]; pageNumber: number; pages: number } {
  const { page } = query as Record<string, unknown>
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const pageNumber = Math.min(pages, Math.max(1, Number.parseInt(String(page), 10) || 1))
  return { rows: rows.slice((pageNumber - 1) * perPage, pageNumber * perPage), pageNumber, pages }
}
