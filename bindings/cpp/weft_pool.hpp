// SPDX-License-Identifier: Apache-2.0
/*
 * weft_pool.hpp - devices, and kernels on named data (weft/pool.h).
 */
#ifndef WEFT_POOL_HPP
#define WEFT_POOL_HPP

#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>

#include <weft/pool.h>

#include "weft_core.hpp"

namespace weft {

/* The bits of a 16-bit float. */
struct half {
    std::uint16_t bits;
};

/* The scalar of WGSL behind a type; 0: bytes, any structure. f64 for a variable of f32 is
 * converted by the library. */
template <class T> constexpr weft_scalar scalar_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, float>) return WEFT_SCALAR_F32;
    else if constexpr (std::is_same_v<U, double>) return WEFT_SCALAR_F64;
    else if constexpr (std::is_same_v<U, half>) return WEFT_SCALAR_F16;
    else if constexpr (std::is_integral_v<U> && std::is_signed_v<U> && sizeof(U) == 4)
        return WEFT_SCALAR_I32;
    else if constexpr (std::is_integral_v<U> && sizeof(U) == 4) return WEFT_SCALAR_U32;
    else return static_cast<weft_scalar>(0);
}

template <class T> constexpr bool is_scalar() { return scalar_of<T>() != 0; }

using shape = std::vector<std::uint64_t>;

namespace detail {
inline weft_pool *pool_retain(weft_pool *p) { return weft_pool_retain(p); }
inline void pool_release(weft_pool *p) { weft_pool_release(p); }
inline weft_pool_context *client_retain(weft_pool_context *c)
{
    return weft_pool_context_retain(c);
}
inline void client_release(weft_pool_context *c) { weft_pool_context_release(c); }
inline weft_pool_data *data_retain(weft_pool_data *d) { return weft_pool_data_retain(d); }
inline void data_release(weft_pool_data *d) { weft_pool_data_release(d); }
inline weft_execution *execution_retain(weft_execution *e) { return weft_execution_retain(e); }
inline void execution_release(weft_execution *e) { weft_execution_release(e); }

using client_handle = handle<weft_pool_context, client_release, client_retain>;

inline bool check_report(const weft_execute_report &r)
{
    if (r.error.kind)
        fail(error(r.error.kind, r.error.message, r.error.name));
    return !r.error.kind;
}
} // namespace detail

/* ---- arguments ---- */

/* Data that stays on devices. */
class data {
public:
    data() = default;
    explicit data(weft_pool_data *d) : handle_(d) {}
    weft_pool_data *get() const { return handle_.get(); }
    std::uint64_t size() const { return weft_pool_data_size(get()); }
    void release() { handle_.release(); }
    explicit operator bool() const { return bool(handle_); }

private:
    detail::handle<weft_pool_data, detail::data_release, detail::data_retain> handle_;
};

/* A named input: memory of numbers, one number, or data on a device. Memory is not copied and must
 * live until the call ends. */
class input {
public:
    template <class C, class T = std::remove_pointer_t<decltype(std::declval<C &>().data())>>
    input(std::string name, const C &values, shape sizes = {})
        : input(std::move(name), scalar_of<T>(), values.data(), values.size() * sizeof(T),
                sizes.empty() && is_scalar<T>() ? shape{values.size()} : std::move(sizes)) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    input(std::string name, T value) : name_(std::move(name)), single_(true)
    {
        static_assert(is_scalar<T>(), "kernels have 32-bit integers, float and double");
        row_.type = scalar_of<T>();
        std::memcpy(value_, &value, sizeof value);
    }
    input(std::string name, const class data &values) : name_(std::move(name)), data_(values)
    {
        row_.resident = data_.get();
    }
    /* Any memory: type 0 is bytes; without sizes a single value of the variable's size. */
    input(std::string name, weft_scalar type, const void *memory, std::uint64_t bytes,
          const shape &sizes) : name_(std::move(name))
    {
        row_.type = type;
        row_.data = memory;
        row_.rank = static_cast<std::uint32_t>(sizes.size());
        for (std::size_t i = 0; i < sizes.size() && i < 8; i++)
            row_.shape[i] = sizes[i];
        if (!type) {
            row_.rank = 1;
            row_.shape[0] = bytes;
        }
    }
    weft_execute_input raw() const
    {
        weft_execute_input row = row_;
        row.name = name_.c_str();
        if (single_)
            row.data = value_;
        return row;
    }

private:
    std::string        name_;
    weft_execute_input row_{};
    alignas(8) unsigned char value_[8] = {};
    bool               single_ = false;
    class data         data_;
};

/* A named output: memory that gets the result, or data on a device. */
class output {
public:
    template <class C, class T = std::remove_pointer_t<decltype(std::declval<C &>().data())>,
              class = std::enable_if_t<!std::is_const_v<T>>>
    output(std::string name, C &&values, const shape &sizes = {})
        : output(std::move(name), scalar_of<T>(), values.data(), values.size() * sizeof(T),
                 sizes.empty() && is_scalar<T>() ? shape{values.size()} : sizes) {}
    output(std::string name, const class data &values) : name_(std::move(name)), data_(values)
    {
        row_.resident = data_.get();
    }
    output(std::string name, weft_scalar type, void *memory, std::uint64_t bytes,
           const shape &sizes) : name_(std::move(name))
    {
        row_.type = type;
        row_.data = memory;
        row_.rank = static_cast<std::uint32_t>(sizes.size());
        for (std::size_t i = 0; i < sizes.size() && i < 8; i++)
            row_.shape[i] = sizes[i];
        if (!type) {
            row_.rank = 1;
            row_.shape[0] = bytes;
        }
    }
    weft_execute_output raw() const
    {
        weft_execute_output row = row_;
        row.name = name_.c_str();
        return row;
    }

private:
    std::string         name_;
    weft_execute_output row_{};
    class data          data_;
};

/* Everything but the data; times in nanoseconds. */
struct execute_options {
    std::string entry, device, label;
    std::vector<std::pair<std::string, double>> constants;
    std::array<std::uint32_t, 3> groups{}, invocations{};
    weft_policy   policy = WEFT_POLICY_DEFAULT;
    std::int32_t  priority = 0;
    std::uint64_t deadline = 0, time_limit = 0, memory_limit = 0;
    bool          optimize = false, no_retry = false;
};

namespace detail {

/* The rows of a descriptor, and the descriptor. */
struct call {
    call(const std::string &wgsl, const std::vector<input> &inputs,
         const std::vector<output> &outputs, const execute_options &o)
    {
        for (const input &i : inputs)
            in.push_back(i.raw());
        for (const output &i : outputs)
            out.push_back(i.raw());
        for (const auto &c : o.constants)
            constants.push_back({c.first.c_str(), c.second});
        desc.wgsl = wgsl.c_str();
        desc.entry = o.entry.empty() ? nullptr : o.entry.c_str();
        desc.device = o.device.empty() ? nullptr : o.device.c_str();
        desc.label = o.label.empty() ? nullptr : o.label.c_str();
        desc.constants = constants.data();
        desc.constant_count = static_cast<std::uint32_t>(constants.size());
        desc.inputs = in.data();
        desc.input_count = static_cast<std::uint32_t>(in.size());
        desc.outputs = out.data();
        desc.output_count = static_cast<std::uint32_t>(out.size());
        for (int i = 0; i < 3; i++) {
            desc.groups[i] = o.groups[static_cast<std::size_t>(i)];
            desc.invocations[i] = o.invocations[static_cast<std::size_t>(i)];
        }
        desc.policy = o.policy;
        desc.priority = o.priority;
        desc.deadline = o.deadline;
        desc.time_limit = o.time_limit;
        desc.memory_limit = o.memory_limit;
        desc.optimize = o.optimize;
        desc.no_retry = o.no_retry;
    }
    std::vector<weft_execute_input>  in;
    std::vector<weft_execute_output> out;
    std::vector<weft_constant>       constants;
    weft_execute_desc                desc{};
};
} // namespace detail

/* A kernel that was started. The memory of its outputs must live until it has ended. */
class execution {
public:
    execution() = default;
    explicit execution(weft_execution *e) : handle_(e) {}
    bool done() const { return weft_execution_done(handle_.get()); }
    bool cancel() { return weft_execution_cancel(handle_.get()); }
    /* True once it has ended. */
    bool wait(std::uint64_t timeout_ns = UINT64_MAX)
    {
        return weft_execution_wait(handle_.get(), timeout_ns);
    }
    /* Waits; fails with the execution's error. */
    weft_execute_report result()
    {
        weft_execute_report r{};
        wait();
        weft_execution_report(&r, handle_.get());
        detail::check_report(r);
        return r;
    }
    explicit operator bool() const { return bool(handle_); }

private:
    detail::handle<weft_execution, detail::execution_release, detail::execution_retain> handle_;
};

/* ---- pools and contexts ---- */

struct pool_options {
    std::vector<std::string> adapters, libraries;   /* empty: all; none                     */
    bool          no_own = false, measure = true, probe_in_process = false;
    std::uint32_t threads = 0;
    std::uint64_t dispatch_deadline = 0, time_limit = 0, memory_limit = 0;
};

class pool {
public:
    explicit pool(const pool_options &o = {})
    {
        std::vector<const char *> adapters = words(o.adapters), libraries = words(o.libraries);
        weft_pool_desc d{};
        d.adapters = o.adapters.empty() ? nullptr : adapters.data();
        d.libraries = o.libraries.empty() ? nullptr : libraries.data();
        d.no_own = o.no_own;
        d.probe_in_process = o.probe_in_process;
        d.benchmark_timeout = o.measure ? 0 : WEFT_OFF;
        d.threads = o.threads;
        d.dispatch_deadline = o.dispatch_deadline;
        d.time_limit = o.time_limit;
        d.memory_limit = o.memory_limit;
        handle_ = detail::handle<weft_pool, detail::pool_release, detail::pool_retain>(
            weft_pool_create(&d));
    }
    weft_pool *get() const { return handle_.get(); }
    void release() { handle_.release(); }
    explicit operator bool() const { return bool(handle_); }
    /* Texts live as long as the pool. */
    std::vector<weft_pool_device> devices() const
    {
        std::vector<weft_pool_device> found(weft_pool_device_count(get()));
        for (std::uint32_t i = 0; i < found.size(); i++)
            weft_pool_device_get(&found[i], get(), i);
        return found;
    }

private:
    static std::vector<const char *> words(const std::vector<std::string> &list)
    {
        std::vector<const char *> out;
        for (const std::string &word : list)
            out.push_back(word.c_str());
        out.push_back(nullptr);
        return out;
    }
    detail::handle<weft_pool, detail::pool_release, detail::pool_retain> handle_;
};

struct pool_context_options {
    std::string   label, device;
    std::uint64_t memory_quota = 0, time_quota = 0;
    std::uint32_t execution_quota = 0, weight = 0;
};

/* One user of a pool. */
class pool_context {
public:
    explicit pool_context(const pool &p, const pool_context_options &o = {})
    {
        weft_pool_context_desc d{};
        d.label = o.label.empty() ? nullptr : o.label.c_str();
        d.device = o.device.empty() ? nullptr : o.device.c_str();
        d.policy = d.device ? WEFT_POLICY_DEVICE : WEFT_POLICY_DEFAULT;
        d.memory_quota = o.memory_quota;
        d.time_quota = o.time_quota;
        d.execution_quota = o.execution_quota;
        d.weight = o.weight;
        handle_ = detail::client_handle(weft_pool_context_create(p.get(), &d));
        if (!handle_)
            detail::fail(error(WEFT_ERROR_MEMORY, "no context: no memory, or no pool"));
    }
    weft_pool_context *get() const { return handle_.get(); }
    void release() { handle_.release(); }
    explicit operator bool() const { return bool(handle_); }

    /* Runs a kernel and waits. Without exceptions, the report has the error. */
    weft_execute_report execute(const std::string &wgsl, const std::vector<input> &inputs,
                                const std::vector<output> &outputs,
                                const execute_options &options = {}) const
    {
        weft_execute_report r{};
        detail::call        c(wgsl, inputs, outputs, options);
        weft_execute(get(), &c.desc, &r);
        detail::check_report(r);
        return r;
    }
    /* Starts it. */
    execution submit(const std::string &wgsl, const std::vector<input> &inputs,
                     const std::vector<output> &outputs,
                     const execute_options &options = {}) const
    {
        detail::call    c(wgsl, inputs, outputs, options);
        weft_execution *e = weft_execute_async(get(), &c.desc);
        if (!e)
            detail::fail(error(WEFT_ERROR_MEMORY, "no memory for an execution"));
        return execution(e);
    }
    /* Data that stays on devices. */
    template <class T> class data store(span<const T> values, const std::string &name = {}) const
    {
        weft_pool_data_desc d{};
        d.name = name.empty() ? nullptr : name.c_str();
        d.type = scalar_of<T>();
        d.data = values.data();
        d.shape[0] = is_scalar<T>() ? values.size() : values.size() * sizeof(T);
        weft_pool_data *made = weft_pool_data_create(get(), &d);
        if (!made)
            raise();
        return (class data)(made);
    }
    template <class T> class data store(const std::vector<T> &values,
                                        const std::string &name = {}) const
    {
        return store(span<const T>(values.data(), values.size()), name);
    }
    template <class T> bool read(span<T> out, const class data &from) const
    {
        bool ok = weft_pool_data_read(out.data(), from.get(), 0, out.size() * sizeof(T));
        return ok || raise();
    }

private:
    bool raise() const
    {
        weft_pool_error e{};
        if (weft_pool_context_error(&e, get())) {
            weft_pool_context_error_clear(get());
            detail::fail(error(e.kind, e.message, e.name));
        }
        return false;
    }
    detail::client_handle handle_;
};

} // namespace weft

#endif
