/** Collie's mark: the head of a dog, half in the light. */
export function Mark({ className = "size-[18px]" }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 18 18" className={className}>
      <path d="M3 1.5 7 4h4l4-2.5v8.2c0 1.1-.3 2-.9 2.8L11 16.2c-.5.5-1.2.8-2 .8s-1.5-.3-2-.8l-3.100-3.700C3.300 11.700 3 10.800 3 9.700z" className="fill-text" />
      <path d="M9 6.200 11 11l-1.100 3.200c-.2.5-.5.8-.9.8s-.7-.3-.9-.8L7 11z" className="fill-side" />
      <circle cx="5.900" cy="8.600" r=".9" className="fill-side" />
      <circle cx="12.100" cy="8.600" r=".9" className="fill-side" />
    </svg>
  );
}
