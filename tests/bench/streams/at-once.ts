/** Makes `times` calls, at most `width` of them at once. */
export async function atOnce<T>(width: number, times: number, call: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let left = times;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await call());
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
