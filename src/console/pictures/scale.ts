/** Round figures from 0 to the most or beyond it: three or four. */
export function scaleOf(most: number, isBytes = false): readonly number[] {
  const unit = isBytes ? 1_024 ** Math.floor(Math.log(Math.max(1, most)) / Math.log(1_024)) : 1;
  const rough = Math.max(3, most / unit) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough * 0.999);
  const size = (step ?? rough) * unit;
  return [0, 1, 2, 3].map((times) => times * size).filter((one, i) => i < 2 || one - size < most);
}
